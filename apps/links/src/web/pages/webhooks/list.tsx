import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { useText } from '../../texts/text.ts'
import { WebhookCard } from './card.tsx'
import type { Webhook } from './webhook.ts'

export default function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { t } = useText()
  const list = useFocusWhenGone<HTMLUListElement>(webhooks.length)
  return (
    <ul className="webhooks" ref={list} tabIndex={-1} aria-label={t('nav.webhooks')}>
      {webhooks.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  )
}
