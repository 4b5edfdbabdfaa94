import { Anchor, Button, Group, NativeSelect, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { useState } from 'react'
import { Link } from 'wouter'
import { planStates } from '../../../plans/states.ts'
import type { Result } from '../../call.ts'
import { Program } from '../../parts/history/changes.tsx'
import { Quoted } from '../../parts/history/quoted.tsx'
import { visible } from '../../parts/history/visible.ts'
import { Initials } from '../../parts/initials.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { PlanState } from './state.tsx'

const PAGE_SIZE = 25

export type PlanSummary = Result<'listPlans'>[number]

export default function PlanList() {
  const { t } = useText()
  const [{ state }, setFilter] = useQueryString({ state: '' })
  return (
    <>
      <Group>
        <NativeSelect
          aria-label={t('plans.filter')}
          value={state}
          onChange={({ currentTarget }) => setFilter({ state: currentTarget.value })}
          data={[
            { value: '', label: t('plans.filter.all') },
            ...planStates.map((name) => ({ value: name, label: t(`plans.state.${name}`) })),
          ]}
        />
      </Group>
      <Paper withBorder px={{ base: 'md', sm: 'lg' }}>
        <Pages key={state} state={planStates.find((name) => name === state)} />
      </Paper>
    </>
  )
}

type State = PlanSummary['state'] | undefined

function Pages({ state }: { state: State }) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  return cursors.map((cursor, index) => (
    <Page
      key={cursor ?? ''}
      state={state}
      cursor={cursor}
      onOlder={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
    />
  ))
}

interface PageProps {
  state: State
  cursor: string | undefined
  onOlder: ((cursor: string) => void) | undefined
}

function Page({ state, cursor, onOlder }: PageProps) {
  const { t } = useText()
  const { data, error, refetch } = useCall('plans', 'listPlans', {
    query: { limit: PAGE_SIZE, ...(state && { state }), ...(cursor !== undefined && { cursor }) },
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={240} my="md" />
  if (data.body.length === 0) return <Notice title={t('plans.none')} help={t('plans.noneHelp')} />
  const { next } = data
  return (
    <>
      <Stack component="ul" className="changes" gap={0} m={0} p={0}>
        {data.body.map((plan) => (
          <Item key={plan.id} plan={plan} />
        ))}
      </Stack>
      {next !== undefined && onOlder && (
        <Group justify="center" p="sm">
          <Button variant="default" size="compact-md" onClick={() => onOlder(next)}>
            {t('plans.older')}
          </Button>
        </Group>
      )}
    </>
  )
}

function Item({ plan }: { plan: PlanSummary }) {
  const { t, moment } = useText()
  const { id, title, state, identity, change_count, created_at, expires_at } = plan
  return (
    <li className="change">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Anchor component={Link} href={`/plans/${id}`} fw={600} size="sm" underline="always" miw={0}>
          {t('plans.untitled', { id })} {title !== null && <Quoted text={title} />}
        </Anchor>
        <PlanState state={state} />
      </Group>
      <Group gap="xs" mt={4} miw={0}>
        <span className="person is-whole">
          <Initials name={identity} />
          <bdi>{visible(identity)}</bdi>
        </span>
        <Program change={{ ...plan, tool: null }} onFilter={undefined} />
        <Text size="sm" c="dimmed">
          {moment(created_at)}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        {t('plans.changes', { count: change_count })}
        {state === 'open' && <> · {t('plans.ends', { at: moment(expires_at) })}</>}
      </Text>
    </li>
  )
}
