import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { DialogProps } from './delete.tsx'
import { Secret } from './secret.tsx'

/** Dialog with two steps: the question, then the new secret. Only its button closes the second step. */
export function RotateSecret({ webhook, opened, onClose, onClosed }: DialogProps) {
  const { t, failure } = useText()
  const rotate = useMutation({
    mutationFn: () => call('rotateWebhookSecret', { params: { id: webhook.id } }),
    onSuccess: () => invalidate('webhooks'),
  })
  const secret = rotate.data?.secret
  const isRotated = secret !== undefined
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(isRotated ? 'webhooks.newSecret' : 'webhooks.rotateTitle')}
      size="lg"
      closeOnClickOutside={!isRotated}
      closeOnEscape={!isRotated}
      withCloseButton={!isRotated}
      returnFocus={false}
      onExitTransitionEnd={() => {
        rotate.reset()
        onClosed()
      }}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {isRotated ? (
        <Secret secret={secret} onDone={onClose} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{t('webhooks.rotateHelp')}</Text>
          {rotate.error && (
            <Alert color="red" role="alert">
              {failure(rotate.error)}
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              {t('confirm.cancel')}
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              {t('webhooks.rotateYes')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
