import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Suspense, lazy, useState } from 'react'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useProgramName } from './program-name.ts'
import type { Policy } from './types.ts'

const PolicyDialog = lazy(() => import('./policy-dialog.tsx'))

/** The programs that may write for the viewer, with what they may do. */
export function Policies() {
  const { t } = useText()
  const policies = useCall('policies', 'listPolicies', {})
  const [changing, setChanging] = useState<Policy>()
  const listed = policies.data?.body ?? []
  if (listed.length === 0) return null
  return (
    <Stack component="section" gap="sm" aria-labelledby="policies">
      <Title order={2} size="h4" id="policies">
        {t('policies.title')}
      </Title>
      <Text c="dimmed" maw={640}>
        {t('policies.help')}
      </Text>
      <Paper withBorder component="ul" px="md" py={0} style={{ listStyle: 'none' }}>
        {listed.map((policy, at) => (
          <Row
            key={policy.assistant}
            policy={policy}
            isFirst={at === 0}
            onChange={() => setChanging(policy)}
          />
        ))}
      </Paper>
      {changing && (
        <Suspense>
          <PolicyDialog policy={changing} onClosed={() => setChanging(undefined)} />
        </Suspense>
      )}
    </Stack>
  )
}

function Row({ policy, isFirst, onChange }: { policy: Policy; isFirst: boolean; onChange: () => void }) {
  const { t } = useText()
  const name = useProgramName()(policy)
  return (
    <Group
      component="li"
      justify="space-between"
      gap="md"
      py="sm"
      wrap="nowrap"
      style={isFirst ? {} : { borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Summary policy={policy} />
      </Stack>
      <Button
        variant="default"
        size="xs"
        flex="none"
        aria-label={t('policies.changeNamed', { name })}
        onClick={onChange}
      >
        {t('policies.change')}
      </Button>
    </Group>
  )
}

function Summary({ policy }: { policy: Policy }) {
  const { t } = useText()
  const { writes, confirm, writes_per_hour, hosts, bundles } = policy
  const parts = [
    t(`policies.writes.${writes}`),
    writes !== 'none' && confirm !== 'never' && t(`policies.confirm.${confirm}`),
    writes !== 'none' && writes_per_hour !== null && t('policies.perHour', { count: writes_per_hour }),
    writes !== 'none' && hosts && hosts.join(', '),
    writes !== 'none' && bundles && t('policies.bundleCount', { count: bundles.length }),
  ]
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {parts.filter(Boolean).join(' · ')}
    </Text>
  )
}
