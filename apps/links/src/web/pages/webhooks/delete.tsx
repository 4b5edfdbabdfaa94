import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
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
      <Stack gap="md">
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{webhook.url}</bdi>
        </Text>
        <Text size="sm">{t('webhooks.deleteHelp')}</Text>
        {remove.error && (
          <Alert color="red" role="alert">
            {failure(remove.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('confirm.cancel')}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t('webhooks.deleteYes')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
