import { Alert } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { signIn } from '../call.ts'
import { useTexts } from '../texts.ts'

/** Shown while the last answer was a 401. The page below keeps the typed text. */
export function SignedOutNotice() {
  const { t } = useTexts()
  const stale = useSyncExternalStore((listener) => signIn.subscribe(listener), signIn.isOver)
  if (!stale) return null
  return (
    <Alert color="orange" title={t('shell.stale')} mb="lg" role="alert">
      {t('shell.staleHelp')}
    </Alert>
  )
}
