import { Modal, Text } from '@mantine/core'
import { Question } from '@latchkey/web/parts/question'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Webhook } from './webhook.ts'

export interface DialogProps {
  webhook: Webhook
  opened: boolean
  onClose: () => void
  onClosed: () => void
}

export function DeleteWebhook({ webhook, opened, onClose, onClosed }: DialogProps) {
  const { t, failure } = useText()
  const remove = useMutation({
    mutationFn: () => call('deleteWebhook', { params: { id: webhook.id } }),
    onSuccess() {
      showSuccess(t('webhooks.deleted'))
      onClose()
    },
    onSettled: () => invalidate('webhooks'),
  })
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('webhooks.deleteTitle')}
      returnFocus={false}
      onExitTransitionEnd={onClosed}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Question
        button={t('webhooks.deleteYes')}
        isPending={remove.isPending}
        error={remove.error && failure(remove.error)}
        onConfirm={() => remove.mutate()}
        onCancel={onClose}
      >
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{webhook.url}</bdi>
        </Text>
        <Text size="sm">{t('webhooks.deleteHelp')}</Text>
      </Question>
    </Modal>
  )
}
