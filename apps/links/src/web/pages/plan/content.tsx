import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { Program } from '../../parts/history/changes.tsx'
import { Quoted } from '../../parts/history/quoted.tsx'
import { Names } from '../../parts/history/subject-names.tsx'
import { visible } from '../../parts/history/visible.ts'
import { Initials } from '../../parts/initials.tsx'
import { useText } from '../../texts/text.ts'
import { PlanState } from '../plans/state.tsx'
import { PlanActions } from './actions.tsx'
import { Diff } from './diff.tsx'
import { namesOf } from './names.ts'
import { Operations } from './operations.tsx'
import type { Plan } from './plan.ts'
import { Warnings } from './warnings.tsx'

/** All that a person needs to know, then the buttons by which they decide. */
export default function PlanContent({ plan }: { plan: Plan }) {
  const { t } = useText()
  const names = useMemo(() => namesOf(plan), [plan])
  return (
    <Names value={names}>
      <About plan={plan} />
      <Warnings plan={plan} />
      <Stack component="section" gap="sm" aria-labelledby="plan-diff">
        <Title order={2} size="h4" id="plan-diff">
          {t('plans.diff')}
        </Title>
        <Paper withBorder px={{ base: 'md', sm: 'lg' }}>
          <Diff plan={plan} />
        </Paper>
      </Stack>
      <Stack component="section" gap="sm" aria-labelledby="plan-operations">
        <Title order={2} size="h4" id="plan-operations">
          {t('plans.operations')}
        </Title>
        <Paper withBorder px={{ base: 'md', sm: 'lg' }}>
          <Operations ops={plan.ops} />
        </Paper>
      </Stack>
      <PlanActions plan={plan} />
    </Names>
  )
}

function About({ plan }: { plan: Plan }) {
  const { t, moment } = useText()
  return (
    <Stack gap={4}>
      {plan.title !== null && (
        <Text size="sm">
          {t(plan.assistant === null ? 'plans.title' : 'plans.calledByProgram')} <Quoted text={plan.title} />
        </Text>
      )}
      <Group gap="xs" miw={0}>
        <PlanState state={plan.state} />
        <span className="person is-whole">
          <Initials name={plan.identity} />
          <bdi>{visible(plan.identity)}</bdi>
        </span>
        <Program change={{ ...plan, tool: null }} onFilter={undefined} />
        <Text size="sm" c="dimmed">
          {moment(plan.created_at)}
          {plan.state === 'open' && <> · {t('plans.ends', { at: moment(plan.expires_at) })}</>}
          {plan.applied_at !== null && <> · {t('plans.appliedAt', { at: moment(plan.applied_at) })}</>}
        </Text>
      </Group>
    </Stack>
  )
}
