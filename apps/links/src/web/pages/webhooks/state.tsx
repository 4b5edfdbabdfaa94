import { Alert, Badge, Box } from '@mantine/core'
import { IconAlertTriangle } from '@latchkey/web/icons'
import { useText } from '../../texts/text.ts'
import { type Webhook, type WebhookState, stateOf } from './webhook.ts'

const DOTS: Readonly<Record<WebhookState, string>> = {
  active: 'var(--mantine-color-teal-6)',
  failing: 'var(--mantine-color-orange-6)',
  disabled: 'var(--mantine-color-gray-6)',
  failed: 'var(--mantine-color-red-6)',
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { t } = useText()
  const state = stateOf(webhook)
  return (
    <Badge
      variant="default"
      size="lg"
      tt="none"
      fw={500}
      flex="none"
      leftSection={<Box w={8} h={8} mr={2} bdrs="xl" bg={DOTS[state]} aria-hidden />}
    >
      {t(`webhooks.state.${state}`)}
    </Badge>
  )
}

/** Explains a webhook whose receiver does not accept events. */
export function FailureNotice({ webhook }: { webhook: Webhook }) {
  const { t, moment } = useText()
  const state = stateOf(webhook)
  const { failing_since: since, next_attempt_at: next } = webhook
  if (since === null) return null
  return (
    <Alert
      color={state === 'failed' ? 'red' : 'orange'}
      icon={<IconAlertTriangle size={20} aria-hidden />}
      title={t(state === 'failed' ? 'webhooks.failedTitle' : 'webhooks.failingTitle', {
        since: moment(since),
      })}
    >
      {state === 'failed' || next === null
        ? t('webhooks.failedHelp')
        : t('webhooks.failingHelp', { next: moment(next) })}
    </Alert>
  )
}
