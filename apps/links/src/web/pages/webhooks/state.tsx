import { Alert, Badge, Box, Code, Text } from '@mantine/core'
import { IconAlertTriangle } from '@latchkey/web/icons'
import { useText } from '../../texts/text.ts'
import { type Delivery, type Webhook, type WebhookState, stateOf } from './webhook.ts'

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

/** What a receiver answered, or why it did not, in a few words. */
export function useOutcome() {
  const { t } = useText()
  return ({ status, error }: Pick<Delivery, 'status' | 'error'>) =>
    error === null ? t('webhooks.status', { status: status ?? 0 }) : t(`webhooks.error.${error}`)
}

/** Characters of an answer in the notice; the delivery has all of it. */
const MAX_ANSWER = 200

/** Explains a webhook whose receiver does not accept events. */
export function FailureNotice({ webhook }: { webhook: Webhook }) {
  const { t, moment } = useText()
  const state = stateOf(webhook)
  const { failing_since: since, next_attempt_at: next, last_failure: last } = webhook
  const outcomeOf = useOutcome()
  if (since === null) return null
  return (
    <Alert
      color={state === 'failed' ? 'red' : 'orange'}
      icon={<IconAlertTriangle size={20} aria-hidden />}
      title={t(state === 'failed' ? 'webhooks.failedTitle' : 'webhooks.failingTitle', {
        since: moment(since),
      })}
    >
      {last && (
        <Text size="sm" mb={4} fw={500} style={{ overflowWrap: 'anywhere' }}>
          {t('webhooks.lastError', { outcome: outcomeOf(last) })}
          {last.answer && (
            <>
              {' '}
              <Code>
                <bdi>{last.answer.slice(0, MAX_ANSWER)}</bdi>
              </Code>
            </>
          )}
        </Text>
      )}
      {state === 'failed' || next === null
        ? t('webhooks.failedHelp')
        : t('webhooks.failingHelp', { next: moment(next) })}
    </Alert>
  )
}
