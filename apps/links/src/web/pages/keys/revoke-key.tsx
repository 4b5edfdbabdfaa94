import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { showSuccess } from '@latchkey/web/toast'
import { useText } from '../../texts/text.ts'
import type { Key } from './types.ts'

export function RevokeKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { t, failure } = useText()
  const revoke = useMutation({
    mutationFn: () => call('revokeKey', { params: { id: apiKey.id } }),
    onSuccess() {
      showSuccess(t('keys.revoked'))
      onClose()
    },
    onSettled: () => invalidate('keys'),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('keys.revokeTitle')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Stack gap="md">
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{apiKey.title}</bdi> <Code>{apiKey.key_prefix}…</Code>
        </Text>
        <Text size="sm">{t('keys.revokeHelp')}</Text>
        {revoke.error && (
          <Alert color="red" role="alert">
            {failure(revoke.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('confirm.cancel')}
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            {t('keys.revokeYes')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
