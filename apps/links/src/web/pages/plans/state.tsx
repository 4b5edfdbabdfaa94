import { Badge } from '@mantine/core'
import type { Result } from '../../call.ts'
import { useText } from '../../texts/text.ts'

type State = Result<'listPlans'>[number]['state']

const COLORS: Partial<Record<State, string>> = { open: 'blue', applied: 'green' }

export function PlanState({ state }: { state: State }) {
  const { t } = useText()
  const color = COLORS[state]
  return (
    <Badge {...(color ? { color, variant: 'light' } : { variant: 'default' })} tt="none" fw={500} flex="none">
      {t(`plans.state.${state}`)}
    </Badge>
  )
}
