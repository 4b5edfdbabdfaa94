import { Alert, Anchor, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CallError } from '@latchkey/web/call'
import { useState } from 'react'
import { Link } from 'wouter'
import { loginPath } from '../../addresses.ts'
import { call } from '../../call.ts'
import { withoutConnection } from '../../live/live.ts'
import { clearDrafts } from '@latchkey/web/draft-storage'
import { useFocusBack } from '../../parts/focus-back.ts'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

export function DeleteAccount({ onClose }: { onClose: () => void }) {
  const { t } = useText()
  useFocusBack()
  const [isSure, setSure] = useState(false)
  const erase = useMutation({
    mutationFn: () => withoutConnection(() => call('deleteAccount', { body: { confirm: true } })),
    onSuccess() {
      clearDrafts()
      location.assign(loginPath('/', { ended: 'deleted' }))
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('account.deleteTitle')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Stack gap="md">
        <Text size="sm">{t('account.deleteHelp')}</Text>
        <Checkbox
          label={t('account.deleteSure')}
          checked={isSure}
          onChange={({ currentTarget }) => setSure(currentTarget.checked)}
          data-autofocus
        />
        {erase.error && <DeletionRefusal error={erase.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button
            color="red"
            disabled={!isSure}
            loading={erase.isPending || erase.isSuccess}
            onClick={() => erase.mutate()}
          >
            {t('account.deleteYes')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Reason why the account cannot be deleted, and what to do about it. */
function DeletionRefusal({ error }: { error: Error }) {
  const { t, failure } = useText()
  const { code, answer } = error instanceof CallError ? error : { code: undefined, answer: {} }
  const roomIds = 'roomIds' in answer && Array.isArray(answer.roomIds) ? (answer.roomIds as string[]) : []
  return (
    <Alert color="red" role="alert">
      {code === 'owns_rooms' && t('account.ownsRooms')}
      {code === 'last_admin' && t('account.lastAdmin')}
      {code !== 'owns_rooms' && code !== 'last_admin' && failure(error)}
      {roomIds.length > 0 && (
        <ul>
          {roomIds.map((id, index) => (
            <li key={id}>
              <Anchor component={Link} href={`/rooms/${id}`} underline="always" inherit c="inherit">
                <OwnedRoom id={id} number={index + 1} />
              </Anchor>
            </li>
          ))}
        </ul>
      )}
    </Alert>
  )
}

function OwnedRoom({ id, number }: { id: string; number: number }) {
  const { t } = useText()
  const { data } = useCall('room', 'getRoom', { params: { id } })
  return <span className="wrap">{data?.room.name ?? t('account.ownedRoom', { number })}</span>
}
