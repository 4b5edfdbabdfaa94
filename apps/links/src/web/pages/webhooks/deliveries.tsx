import { Button, Group, Skeleton, Text } from '@mantine/core'
import { momentFormat } from '@latchkey/web/formats'
import { IconChevronRight } from '@latchkey/web/icons'
import { useState } from 'react'
import { ReadError } from '../../parts/read-error.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { DeliveryContent } from './delivery.tsx'
import { type Delivery, type Webhook, typeText } from './webhook.ts'

/** The latest deliveries of a webhook by day, each with its request and the answer of the receiver. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t, day } = useText()
  const { data, error, refetch } = useCall('deliveries', 'listWebhookDeliveries', {
    params: { id: webhook.id },
    query: { limit: 20 },
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={120} />
  const deliveries = data.body
  return (
    <div role="group" aria-label={t('webhooks.deliveries')}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {t('webhooks.deliveries')}
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={() => void refetch()}>
          {t('webhooks.refresh')}
        </Button>
      </Group>
      {deliveries.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('webhooks.noDeliveries')}
        </Text>
      )}
      {[...Map.groupBy(deliveries, ({ attempted_at }) => day(attempted_at))].map(([name, ofDay]) => (
        <div key={name}>
          <Text size="xs" fw={600} c="dimmed" className="delivery-day">
            {name}
          </Text>
          <ul className="plain-list">
            {ofDay.map((delivery) => (
              <Item key={delivery.id} webhook={webhook} delivery={delivery} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

function Item({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { t, language } = useText()
  const [isOpen, setOpen] = useState(false)
  const { id, seq, type, attempt, attempted_at, duration_ms, delivered, status } = delivery
  const time = momentFormat(language, { timeStyle: 'medium' }).format(attempted_at * 1000)
  const name = seq === null ? t('webhooks.test') : t(typeText(type as Webhook['types'][number]))
  return (
    <li className="delivery" data-failed={!delivered || undefined}>
      <button
        type="button"
        className="delivery-row"
        aria-expanded={isOpen}
        aria-controls={`delivery-${id}`}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={16} className="delivery-chevron" aria-hidden />
        <span className="delivery-status figure">{status ?? t('webhooks.noStatus')}</span>
        <span className="delivery-name">
          {name}
          <span className="delivery-note">
            {seq !== null && <> {t('webhooks.eventNumber', { seq })}</>}
            {attempt > 1 && <> · {t('webhooks.attempt', { attempt })}</>}
          </span>
        </span>
        <span className="delivery-note figure">
          {t('webhooks.duration', { ms: duration_ms })} · {time}
        </span>
      </button>
      {isOpen && (
        <div id={`delivery-${id}`}>
          <DeliveryContent webhook={webhook} delivery={delivery} />
        </div>
      )}
    </li>
  )
}
