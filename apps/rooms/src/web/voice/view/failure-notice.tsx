import { Button } from '@mantine/core'
import { type MouseEvent, useSyncExternalStore } from 'react'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'
import type { CallFailure } from '../call-snapshot.ts'
import { IconAlertCircle } from './icons.ts'

/** Failures that another attempt cannot change. */
const FINAL: ReadonlySet<CallFailure> = new Set(['off', 'forbidden'])

/** Says what does not work, and what helps. */
export function FailureNotice({ session, failure }: { session: CallSession; failure: CallFailure }) {
  const { t } = useText()
  const { phase } = useSyncExternalStore(session.watch, session.state)
  const isOver = phase === 'failed'
  return (
    <div role="alert" className="call-failure" data-over={isOver || undefined}>
      <IconAlertCircle size={20} aria-hidden />
      <p className="call-failure-text">{t(`call.failure.${failure}`)}</p>
      {isOver && !FINAL.has(failure) && (
        <Button
          size="compact-sm"
          onClick={(event) => {
            keepFocus(event)
            session.retry()
          }}
        >
          {t('call.retry')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        onClick={(event) => {
          keepFocus(event)
          if (isOver) session.leave()
          else session.dismissFailure()
        }}
      >
        {t('call.close')}
      </Button>
    </div>
  )
}

/** The focus stays in the call when the button that has it goes. */
function keepFocus({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.closest<HTMLElement>('.call')?.focus({ preventScroll: true })
}
