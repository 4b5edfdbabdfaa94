import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { useText } from '../../../texts/text.ts'

/** Who is typing. Its line is always there, so that nothing moves. */
export function TypingIndicator({ store }: { store: RoomStore }) {
  const { t, list } = useText()
  const { typing, present } = useSyncExternalStore(store.watch, store.state)
  const names = typing.flatMap((id) => present.get(id)?.nickname ?? [])
  return (
    <div className="typing">
      {names.length > 0 && <span className="typing-dots" aria-hidden />}
      {names.length > 2 && t('room.areTyping')}
      {names.length > 0 &&
        names.length <= 2 &&
        t('room.isTyping', { names: list(names), count: names.length })}
    </div>
  )
}
