import { Alert, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import type { Result } from '../../call.ts'
import { Program, Subjects, Values } from '../../parts/history/changes.tsx'
import { Initials } from '../../parts/initials.tsx'
import { useText } from '../../texts/text.ts'
import { PlanState } from '../plans/state.tsx'
import { PlanActions } from './actions.tsx'

export type Plan = Result<'getPlan'>

export default function PlanContent({ plan }: { plan: Plan }) {
  const { t } = useText()
  return (
    <>
      <About plan={plan} />
      <Warnings plan={plan} />
      <Stack component="section" gap="sm" aria-labelledby="plan-diff">
        <Title order={2} size="h4" id="plan-diff">
          {t('plans.diff')}
        </Title>
        <Paper withBorder px={{ base: 'md', sm: 'lg' }}>
          {plan.diff.length === 0 && (
            <Text size="sm" c="dimmed" py="md">
              {t('plans.noChanges')}
            </Text>
          )}
          <Stack component="ul" className="changes" gap={0} m={0} p={0}>
            {plan.diff.map((change, at) => (
              // The list of a plan never changes its order.
              // oxlint-disable-next-line react/no-array-index-key -- two changes of a plan may be equal
              <PlanChange key={at} change={change} />
            ))}
          </Stack>
        </Paper>
      </Stack>
      <PlanActions plan={plan} />
    </>
  )
}

function About({ plan }: { plan: Plan }) {
  const { t, moment } = useText()
  return (
    <Group gap="xs" miw={0}>
      <PlanState state={plan.state} />
      <span className="person">
        <Initials name={plan.identity} />
        <bdi>{plan.identity}</bdi>
      </span>
      <Program change={{ ...plan, tool: null }} onFilter={undefined} />
      <Text size="sm" c="dimmed">
        {moment(plan.created_at)}
        {plan.state === 'open' && <> · {t('plans.ends', { at: moment(plan.expires_at) })}</>}
        {plan.applied_at !== null && <> · {t('plans.appliedAt', { at: moment(plan.applied_at) })}</>}
      </Text>
    </Group>
  )
}

function Warnings({ plan: { warnings, state } }: { plan: Plan }) {
  const { t } = useText()
  if (warnings.length === 0 || state !== 'open') return null
  return (
    <Alert color="orange" title={t('plans.warnings')}>
      <List size="sm">
        {warnings.map(({ code, count, clicks }) => (
          <List.Item key={code}>
            {t(`plans.warning.${code}`, { count })}
            {clicks !== undefined && clicks > 0 && <> ({t('plans.clicks', { count: clicks })})</>}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** What the plan creates has no page yet. */
const isNew = (id: number | null) => id !== null && id < 0

function PlanChange({ change }: { change: Plan['diff'][number] }) {
  const { t } = useText()
  const { kind, link_id, bundle_id } = change
  const existing = {
    link_id: isNew(link_id) ? null : link_id,
    bundle_id: isNew(bundle_id) ? null : bundle_id,
  }
  return (
    <li className="change">
      <Group gap="xs" miw={0}>
        <Text size="sm" fw={600}>
          {t(`history.kind.${kind}`)}
        </Text>
        {isNew(link_id) && <Text size="sm">{t('plans.newLink')}</Text>}
        {isNew(bundle_id) && <Text size="sm">{t('plans.newBundle')}</Text>}
        <Subjects change={existing} />
      </Group>
      <Values change={change} />
    </li>
  )
}
