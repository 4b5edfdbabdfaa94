import { Badge, Box, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { showError, showSuccess } from '@latchkey/web/toast'
import { call } from '../../call.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { type Delivery, type Webhook, typeText } from './webhook.ts'

/** The latest deliveries of a webhook, with the answers of its receiver. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useText()
  const { data, error, refetch } = useCall('deliveries', 'listWebhookDeliveries', {
    params: { id: webhook.id },
    query: { limit: 20 },
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={120} />
  const deliveries = data.body
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {t('webhooks.deliveries')}
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={() => void refetch()}>
          {t('webhooks.refresh')}
        </Button>
      </Group>
      {deliveries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.noDeliveries')}
        </Text>
      ) : (
        <Stack component="ul" gap={0} m={0} p={0}>
          {deliveries.map((delivery) => (
            <Item key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </Stack>
      )}
    </div>
  )
}

function Item({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { t, moment } = useText()
  const { seq, type, attempt, attempted_at, duration_ms, delivered, status, error, answer } = delivery
  const outcome =
    error === null ? t('webhooks.status', { status: status ?? 0 }) : t(`webhooks.error.${error}`)
  return (
    <li className="change">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group gap="xs" miw={0}>
          <Badge
            variant="default"
            tt="none"
            fw={500}
            leftSection={
              <Box
                w={8}
                h={8}
                mr={2}
                bdrs="xl"
                bg={delivered ? 'var(--mantine-color-teal-6)' : 'var(--mantine-color-red-6)'}
                aria-hidden
              />
            }
          >
            {t(delivered ? 'webhooks.delivered' : 'webhooks.notDelivered')}
          </Badge>
          <Text size="sm" fw={600}>
            {seq === null
              ? t('webhooks.test')
              : t('webhooks.event', { seq, type: t(typeText(type as Webhook['types'][number])) })}
          </Text>
        </Group>
        {seq !== null && <ReplayButton webhook={webhook} seq={seq} />}
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        {moment(attempted_at)} · {outcome} · {t('webhooks.duration', { ms: duration_ms })}
        {attempt > 1 && ` · ${t('webhooks.attempt', { attempt })}`}
      </Text>
      {answer !== null && answer !== '' && (
        <Code block mt={6} className="answer" tabIndex={0} aria-label={t('webhooks.answer')}>
          {answer}
        </Code>
      )}
    </li>
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
