import { Alert } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { signIn } from '../call.ts'
import { useTexts } from '../texts.ts'

/** Shown while the last answer was a refusal of the person; the page below keeps what was typed. */
export function Stale() {
  const { say } = useTexts()
  const stale = useSyncExternalStore((listener) => signIn.subscribe(listener), signIn.isOver)
  if (!stale) return null
  return (
    <Alert color="orange" title={say('shell.stale')} mb="lg" role="alert">
      {say('shell.staleHelp')}
    </Alert>
  )
}
