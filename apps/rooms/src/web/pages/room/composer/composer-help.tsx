import { useText } from '../../../texts/text.ts'
import { isTouchScreen } from './touch-screen.ts'

/** Number of remaining characters from which it is displayed. */
const SHOW_LEFT_FROM = 100

/** Why a message with files is not sent yet. */
export type FileProblem = 'uploading' | 'failed'

interface Props {
  /** Number of characters that are left. */
  left: number
  problem: FileProblem | undefined
}

/** What prevents sending, the number of characters that are left when it is small, or what the keys do. */
export function ComposerHelp({ left, problem }: Props) {
  const { t } = useText()
  const isError = left < 0 || problem === 'failed'
  return (
    <span id="write-help" className={isError ? 'field-error' : 'field-help'} role="status">
      {left < 0 && t('room.tooLong', { count: -left })}
      {left >= 0 && problem === 'uploading' && t('room.sendsWhenUploaded')}
      {left >= 0 && problem === 'failed' && t('room.uploadFailed')}
      {left >= 0 && left <= SHOW_LEFT_FROM && !problem && t('room.left', { count: left })}
      {left > SHOW_LEFT_FROM && !problem && !isTouchScreen() && (
        <span className="send-help">{t('room.sendHelp')}</span>
      )}
    </span>
  )
}
