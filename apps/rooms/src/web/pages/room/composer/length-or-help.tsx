import { useText } from '../../../texts/text.ts'
import { isTouchScreen } from './touch-screen.ts'

/** Number of remaining characters from which it is displayed. */
const SHOW_LEFT_FROM = 100

/** The number of characters that are left, when it is small, and otherwise what the keys do. */
export function LengthOrHelp({ left }: { left: number }) {
  const { t } = useText()
  return (
    <span id="write-help" className={left < 0 ? 'field-error' : 'field-help'}>
      {left < 0 && t('room.tooLong', { count: -left })}
      {left >= 0 && left <= SHOW_LEFT_FROM && t('room.left', { count: left })}
      {left > SHOW_LEFT_FROM && !isTouchScreen() && t('room.sendHelp')}
    </span>
  )
}
