import { Button, Checkbox } from '@mantine/core'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Result, call } from '../../call.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

type Room = Result<'listAllRooms'>['rooms'][number]

/** Makes a public room one that new people join, or no longer (R36.3). */
export function DefaultRoomButton({ room }: { room: Room }) {
  const { t, failure } = useText()
  const [isAsking, setAsking] = useState(false)
  const { id, name } = room
  const unmark = useMutation({
    mutationFn: () => call('unmarkDefaultRoom', { params: { id } }),
    onSuccess: () => showSuccess(t('admin.unmadeDefault', { name })),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('admin', 'room'),
  })
  if (room.default)
    return (
      <Button
        variant="default"
        size="xs"
        aria-label={t('admin.unmakeDefaultNamed', { name })}
        loading={unmark.isPending}
        onClick={() => unmark.mutate()}
      >
        {t('admin.unmakeDefault')}
      </Button>
    )
  if (room.visibility !== 'public' || room.archived) return null
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={t('admin.makeDefaultNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('admin.makeDefault')}
      </Button>
      {isAsking && <MakeDefault room={room} onClose={() => setAsking(false)} />}
    </>
  )
}

function MakeDefault({ room: { id, name }, onClose }: { room: Room; onClose: () => void }) {
  const { t } = useText()
  const [everyone, setEveryone] = useState(false)
  const mark = async () => {
    await call('markDefaultRoom', { params: { id }, body: { everyone } })
    showSuccess(t(everyone ? 'admin.addingEveryone' : 'admin.madeDefault', { name }))
    await invalidate('admin', 'room')
  }
  return (
    <ConfirmDialog
      title={t('admin.makeDefaultTitle', { name })}
      help={t('admin.makeDefaultHelp')}
      button={t('admin.makeDefault')}
      act={mark}
      onClose={onClose}
      color="ink"
    >
      <Checkbox
        label={t('admin.everyone')}
        description={t('admin.everyoneHelp')}
        checked={everyone}
        onChange={({ currentTarget }) => setEveryone(currentTarget.checked)}
      />
    </ConfirmDialog>
  )
}
