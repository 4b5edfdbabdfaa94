import { VisuallyHidden } from '@mantine/core'
import { IconPhone } from '@latchkey/web/icons'
import type { Room } from '../live/frames.ts'
import { useText } from '../texts/text.ts'

/** Number of people in the call of a room; nothing without a call. */
export function CallMark({ room: { call } }: { room: Room }) {
  const { t, number } = useText()
  if (!call) return null
  return (
    <span className="call-mark">
      <IconPhone size={13} aria-hidden />
      <span className="figure" aria-hidden>
        {number(call.count)}
      </span>
      <VisuallyHidden>{t('room.call.people', { count: call.count })}</VisuallyHidden>
    </span>
  )
}
