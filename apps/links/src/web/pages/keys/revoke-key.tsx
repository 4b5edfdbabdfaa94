import { Code, Modal, Text } from '@mantine/core'
import { Question } from '@latchkey/web/parts/question'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { showSuccess } from '@latchkey/web/toast'
import { useText } from '../../texts/text.ts'
import type { Key } from './key-table.tsx'

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
      <Question
        button={t('keys.revokeYes')}
        isPending={revoke.isPending}
        error={revoke.error && failure(revoke.error)}
        onConfirm={() => revoke.mutate()}
        onCancel={onClose}
      >
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{apiKey.title}</bdi> <Code>{apiKey.key_prefix}…</Code>
        </Text>
        <Text size="sm">{t('keys.revokeHelp')}</Text>
      </Question>
    </Modal>
  )
}
