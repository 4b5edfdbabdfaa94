import { Badge, VisuallyHidden } from '@mantine/core'
import { me } from '../me.ts'
import { useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'

/** The number of plans that the viewer may apply. Renders nothing at 0. */
export function OpenPlans() {
  const { t } = useText()
  const { data } = useCall('plans', 'listPlans', {
    query: { state: 'open', identity: me.identity, limit: 1 },
  })
  const count = data?.total ?? 0
  if (count === 0) return null
  return (
    <Badge size="sm" circle={count < 10}>
      <span aria-hidden>{count}</span>
      <VisuallyHidden>{t('nav.openPlans', { count })}</VisuallyHidden>
    </Badge>
  )
}
