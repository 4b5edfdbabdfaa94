import { CallError, signIn } from '@latchkey/web/call'
import { queries, useRead } from '@latchkey/web/queries'
import { type Result, call, csrfToken, pageSession } from './call.ts'

export type SignedIn = Result<'getSession'>
export type User = SignedIn['user']

const KEY = ['session']

/** Who is signed in; null for nobody, undefined while that is not known. */
export function useSession() {
  return useRead<SignedIn | null>(['session'], findSession)
}

/** Whose page this is: of whoever was signed in here first. */
let owner: string | undefined

/** Whether this page is still theirs: another tab may have signed out, and somebody else in. */
export const isSameUser = (userId: string) => owner === undefined || owner === userId

/** For somebody else: nothing of what the one before was shown stays, and nothing goes on meanwhile. */
export function restartClient(): Promise<never> {
  location.reload()
  return new Promise(() => {})
}

async function findSession(signal?: AbortSignal): Promise<SignedIn | null> {
  try {
    const before = csrfToken()
    const session = await call('getSession', {}, signal && { signal })
    if (!isSameUser(session.user.id)) return await restartClient()
    const token = csrfToken()
    // Whose it is, nobody can tell: it came with the answer, or with a sign-in meanwhile.
    if (token !== before) return await findSession(signal)
    owner = session.user.id
    pageSession.token = token
    return session
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

let endReason: string | null = null

/** Why the session of this tab has ended, when it had one; a code of the socket's closing (R18). */
export const sessionEndReason = () => endReason

/** From now on nobody is signed in here: the pages that need somebody lead to the login. */
export function endSession(reason = endReason ?? 'expired'): void {
  if (queries.getQueryData(KEY)) endReason = reason
  queries.setQueryData(KEY, null)
}

/** For so long the cookie of a session may be on its way when the end of the one that it replaces is known already. */
const COOKIE_DELAY_MS = 1_000

/**
 * After the session was revoked: whether this browser has another in its place, as after a sign-in in another tab or a
 * change of one's own rights. True where nobody answers, too: the next socket finds out.
 */
export async function isReplaced(): Promise<boolean> {
  // For whatever is refused from now on.
  endReason = 'revoked'
  await new Promise((resume) => setTimeout(resume, COOKIE_DELAY_MS))
  const session = await findSession().catch(() => undefined)
  if (session === null) return false
  endReason = null
  if (session) queries.setQueryData(KEY, session)
  return true
}

/** Any call that is refused for want of a session ends it for the whole client, and none goes out in another one's. */
export function followSignIn(): () => void {
  pageSession.refresh = () => findSession()
  return signIn.subscribe(() => {
    if (signIn.isOver()) endSession()
  })
}
