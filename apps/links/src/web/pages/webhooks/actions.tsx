import { ActionIcon, Menu } from '@mantine/core'
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend2,
  IconTrash,
} from '@latchkey/web/icons'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { DeleteWebhook } from './delete.tsx'
import WebhookDialog from './dialog.tsx'
import { RotateSecret } from './rotate.tsx'
import { useOutcome } from './state.tsx'
import type { Webhook } from './webhook.ts'

type Dialog = 'edit' | 'rotate' | 'delete'

/** Menu of a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { t } = useText()
  const [dialog, setDialog] = useState<Dialog>()
  const button = useRef<HTMLButtonElement>(null)
  const { sendTest, setDisabled } = useWebhookCalls(webhook)
  const isDisabled = webhook.disabled_at !== null
  const close = () => setDialog(undefined)
  // The menu item that opened the dialog has been unmounted.
  const focusButton = () => button.current?.focus()
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            loading={sendTest.isPending}
            aria-label={t('webhooks.actions', { url: webhook.url })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconSend2 size={16} aria-hidden />} onClick={() => sendTest.mutate()}>
            {t('webhooks.sendTest')}
          </Menu.Item>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setDialog('edit')}>
            {t('webhooks.edit')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog('rotate')}>
            {t('webhooks.rotate')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={isDisabled ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            onClick={() => setDisabled.mutate(!isDisabled)}
          >
            {t(isDisabled ? 'webhooks.enable' : 'webhooks.disable')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDialog('delete')}
          >
            {t('webhooks.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <WebhookDialog webhook={webhook} opened={dialog === 'edit'} onClose={close} onClosed={focusButton} />
      <RotateSecret webhook={webhook} opened={dialog === 'rotate'} onClose={close} onClosed={focusButton} />
      <DeleteWebhook webhook={webhook} opened={dialog === 'delete'} onClose={close} onClosed={focusButton} />
    </>
  )
}

function useWebhookCalls({ id }: Webhook) {
  const { t, failure } = useText()
  const outcomeOf = useOutcome()
  const shared = {
    onError: (error: Error) => showError(failure(error)),
    onSettled: () => invalidate('webhooks', 'deliveries'),
  }
  const sendTest = useMutation({
    ...shared,
    mutationFn: () => call('testWebhook', { params: { id } }),
    onSuccess(delivery) {
      const outcome = outcomeOf(delivery)
      if (delivery.delivered) showSuccess(t('webhooks.testDelivered', { outcome }))
      else showError(t('webhooks.testFailed', { outcome }))
    },
  })
  const setDisabled = useMutation({
    ...shared,
    mutationFn: (disabled: boolean) => call('updateWebhook', { params: { id }, body: { disabled } }),
    onSuccess: ({ disabled_at }) =>
      showSuccess(t(disabled_at === null ? 'webhooks.enabled' : 'webhooks.wasDisabled')),
  })
  return { sendTest, setDisabled }
}
