import { Button, Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconSend2 } from '@latchkey/web/icons'
import { Copy } from '@latchkey/web/parts/copy'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { call } from '../../call.ts'
import { Fold } from '../../parts/history/fold.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useOutcome } from './state.tsx'
import type { Delivery, Webhook } from './webhook.ts'

/** The request and the answer of a delivery, and the buttons that send it again. */
export function DeliveryContent({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { t } = useText()
  const { seq, answer } = delivery
  const outcome = useOutcome()(delivery)
  return (
    <div className="delivery-content">
      <Group gap="xs">
        <ResendButton webhook={webhook} delivery={delivery} />
        {seq !== null && <ReplayButton webhook={webhook} seq={seq} />}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <RequestPart webhook={webhook} delivery={delivery} />
        <Part title={t('webhooks.answer')} note={outcome}>
          {answer === null || answer === '' ? (
            <Text size="sm" c="dimmed">
              {t('webhooks.emptyAnswer')}
            </Text>
          ) : (
            <Body text={answer} label={t('webhooks.answerBody')} />
          )}
        </Part>
      </SimpleGrid>
    </div>
  )
}

function RequestPart({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { t } = useText()
  const { data, error, refetch } = useCall('deliveries', 'getWebhookDelivery', {
    params: { id: webhook.id, deliveryId: delivery.id },
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={160} />
  const { request } = data.body
  return (
    <Part title={t('webhooks.request')} note={request && `POST ${request.url}`}>
      {request && (
        <Fold summary={t('webhooks.headers', { count: request.headers.length })}>
          {() => (
            <dl className="delivery-headers mono">
              {request.headers.map(({ name, value }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </Fold>
      )}
      {request?.body ? (
        <Body text={request.body} label={t('webhooks.requestBody')} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('webhooks.requestGone')}
        </Text>
      )}
    </Part>
  )
}

interface PartProps {
  title: string
  /** What the part says in one line. */
  note: string | undefined
  children: ReactNode
}

function Part({ title, note, children }: PartProps) {
  const id = useId()
  return (
    <div className="delivery-part" role="group" aria-labelledby={id}>
      <Text size="sm" fw={600} id={id}>
        {title}
      </Text>
      {note !== undefined && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{note}</bdi>
        </Text>
      )}
      {children}
    </div>
  )
}

/** A body as text, laid out if it is JSON. */
function Body({ text, label }: { text: string; label: string }) {
  return (
    <div className="delivery-body">
      <pre tabIndex={0} aria-label={label} role="group" dir="ltr">
        {layOut(text)}
      </pre>
      <Copy value={text} name={label} />
    </div>
  )
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function ResendButton({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { t, failure } = useText()
  const outcomeOf = useOutcome()
  const resend = useMutation({
    mutationFn: () => call('resendWebhookDelivery', { params: { id: webhook.id, deliveryId: delivery.id } }),
    onSuccess(answer) {
      const outcome = outcomeOf(answer)
      if (answer.delivered) showSuccess(t('webhooks.resent', { outcome }))
      else showError(t('webhooks.resendFailed', { outcome }))
    },
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('webhooks', 'deliveries'),
  })
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<IconSend2 size={14} aria-hidden />}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      {t('webhooks.resend')}
    </Button>
  )
}

function ReplayButton({ webhook: { id }, seq }: { webhook: Webhook; seq: number }) {
  const { t, failure } = useText()
  const replay = useMutation({
    mutationFn: () => call('replayWebhook', { params: { id }, body: { from: seq } }),
    onSuccess: () => showSuccess(t('webhooks.replayed', { seq })),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('webhooks', 'deliveries'),
  })
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={replay.isPending}
      aria-label={t('webhooks.replayFrom', { seq })}
      onClick={() => replay.mutate()}
    >
      {t('webhooks.replay')}
    </Button>
  )
}
