import { Badge, Box } from '@mantine/core'
import type { Result } from '../../call.ts'
import { useText } from '../../texts/text.ts'

type State = Result<'listPlans'>[number]['state']

const DOTS: Partial<Record<State, string>> = {
  open: 'var(--mantine-color-blue-6)',
  applied: 'var(--mantine-color-teal-6)',
}

/** The state of a plan in the colour of text: a dot has the colour of the state. */
export function PlanState({ state }: { state: State }) {
  const { t } = useText()
  const dot = DOTS[state]
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      flex="none"
      leftSection={dot && <Box w={8} h={8} mr={2} bdrs="xl" bg={dot} aria-hidden />}
    >
      {t(`plans.state.${state}`)}
    </Badge>
  )
}
