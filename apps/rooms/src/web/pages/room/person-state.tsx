import { VisuallyHidden } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../live/room-store.ts'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Whether the other person of a direct conversation is there, and their status. */
export function PersonState({ userId, store }: { userId: string; store: RoomStore }) {
  const { t } = useText()
  const isHere = useSyncExternalStore(store.watch, () => store.state().present.has(userId))
  const person = useCall('people', 'getPerson', { params: { userId } }).data?.person
  const isPresent = isHere || person?.present === true
  const { emoji, text } = person?.status ?? {}
  const status = [emoji ?? '', text ?? ''].join(' ').trim()
  return (
    <>
      {isPresent && (
        <span className="person-present">
          <VisuallyHidden>{t('room.here')}</VisuallyHidden>
        </span>
      )}
      {status !== '' && <bdi className="person-status">{status}</bdi>}
    </>
  )
}
