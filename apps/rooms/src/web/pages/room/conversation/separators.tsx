import { memo } from 'react'
import { useText } from '../../../texts/text.ts'
import { NEW_KEY } from './rows.ts'

/** Beginning of a day. */
export const DayLine = memo(function DayLine({ rowKey, at }: { rowKey: string; at: string }) {
  const { relativeDay } = useText()
  return (
    <li className="day-line" data-row={rowKey}>
      <span>{relativeDay(at)}</span>
    </li>
  )
})

/** Beginning of the new messages. */
export function NewLine() {
  const { t } = useText()
  return (
    <li className="new-line" data-row={NEW_KEY}>
      <strong>{t('room.new')}</strong>
    </li>
  )
}
