import { Alert, Anchor } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { signIn } from '../call.ts'
import { useTexts } from '../texts.ts'

/**
 * Shown once the session has ended. The page below keeps the typed text; another tab of it leads to
 * the sign-in.
 */
export function SignedOutNotice() {
  const { t } = useTexts()
  const stale = useSyncExternalStore((listener) => signIn.subscribe(listener), signIn.isOver)
  if (!stale) return null
  return (
    <Alert color="orange" title={t('shell.stale')} mb="lg" role="alert">
      {t('shell.staleHelp')}{' '}
      <Anchor href={location.href} target="_blank" underline="always" size="sm">
        {t('shell.signIn')}
      </Anchor>
    </Alert>
  )
}
