import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense } from 'react'
import { IconPlus } from '@latchkey/web/icons'
import { OnUse } from '@latchkey/web/shell/on-use'
import { Notice } from '@latchkey/web/parts/notice'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { lazyPart } from '../../parts/lazy-part.ts'
import { webhookTexts } from '../../texts/webhooks.ts'

const WebhookList = lazyPart(webhookTexts, () => import('./list.tsx'))
const WebhookDialog = lazyPart(webhookTexts, () => import('./dialog.tsx'))

export default function Webhooks() {
  const { t } = useText()
  const webhooks = useCall('webhooks', 'listWebhooks', {})
  const all = webhooks.data?.body
  const [isCreating, { open, close }] = useDisclosure()
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {t('webhooks.new')}
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" maw={640}>
          {t('webhooks.intro')}
        </Text>
        {all?.length !== 0 && createButton}
      </Group>
      {webhooks.error && !all && (
        <ErrorNotice error={webhooks.error} onRetry={() => void webhooks.refetch()} />
      )}
      {webhooks.isPending && <Skeleton height={240} />}
      {all?.length === 0 && (
        <Notice title={t('webhooks.none')} help={t('webhooks.noneHelp')} action={createButton} />
      )}
      {all && all.length > 0 && (
        <Suspense fallback={<Skeleton height={240} />}>
          <WebhookList webhooks={all} />
        </Suspense>
      )}
      <OnUse isUsed={isCreating}>
        <WebhookDialog opened={isCreating} onClose={close} />
      </OnUse>
    </Stack>
  )
}
