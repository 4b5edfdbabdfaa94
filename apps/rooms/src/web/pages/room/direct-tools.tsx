import { IconPlus, IconX } from '@latchkey/web/icons'
import { OnUse } from '@latchkey/web/shell/on-use'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import { NewDirect } from '../../directs/new-direct-part.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { leaveCallOf } from '../../voice/current-call.ts'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

/** What the header of a direct conversation has in the place of its settings. */
export function DirectTools({ room }: { room: Room }) {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const [isAdding, setAdding] = useState(false)
  const hide = useMutation({
    mutationFn: () => call('endMembership', { params: { id: room.id } }),
    onSuccess: () => {
      leaveCallOf(room.id)
      go('/')
      return invalidate('rooms')
    },
    onError: (error) => showError(failure(error)),
  })
  return (
    <>
      <Tool label={t('room.addPeople')} icon={IconPlus} onClick={() => setAdding(true)} />
      <Tool label={t('room.hide')} icon={IconX} onClick={() => hide.mutate()} />
      <OnUse isUsed={isAdding}>
        <NewDirect isOpen={isAdding} close={() => setAdding(false)} people={room.people ?? []} />
      </OnUse>
    </>
  )
}
