import { CallError, signIn } from '@latchkey/web/call'
import { queries, useRead } from '@latchkey/web/queries'
import { type Result, call } from './call.ts'

export type SignedIn = Result<'getSession'>
export type User = SignedIn['user']

const KEY = ['session']

/** Who is signed in; null for nobody, undefined while that is not known. */
export function useSession() {
  return useRead<SignedIn | null>(['session'], findSession)
}

async function findSession(signal: AbortSignal): Promise<SignedIn | null> {
  try {
    return await call('getSession', {}, { signal })
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null
    throw error
  }
}

/** The person of a page that only people who are signed in are shown. */
export function useUser(): User {
  const { data } = useSession()
  if (!data) throw new Error('This page is for people who are signed in')
  return data.user
}

let endedBy: string | null = null

/** Why the session of this tab has ended, when it had one; a code of the socket's closing (R18). */
export const howSessionEnded = () => endedBy

/** From now on nobody is signed in here: the pages that need somebody lead to the login. */
export function endSession(reason = 'expired'): void {
  if (queries.getQueryData(KEY)) endedBy = reason
  queries.setQueryData(KEY, null)
}

/** Any call that is refused for want of a session ends it for the whole client. */
export function followSignIn(): () => void {
  return signIn.subscribe(() => {
    if (signIn.isOver()) endSession()
  })
}
