import { CallError, signIn } from '@latchkey/web/call'
import { queries, useRead } from '@latchkey/web/queries'
import { type Result, call, csrfToken, embedded, pageSession } from './call.ts'

export type SignedIn = Result<'getSession'>
export type User = SignedIn['user']

const KEY = ['session']

/** Session of this browser: null if signed out, undefined while unknown. */
export function useSession() {
  return useRead<SignedIn | null>(['session'], findSession, { embedded: embeddedSession })
}

/** Id of the user of this page: the first who is signed in here. */
let pageUserId: string | undefined

/**
 * True while this page belongs to the user. Another tab may have signed out and another user in.
 */
export const isSameUser = (userId: string) => pageUserId === undefined || pageUserId === userId

/**
 * Reloads the page for another user. Nothing of the previous user remains on display. The returned
 * promise never resolves, which stops the caller.
 */
export function restartClient(): Promise<never> {
  location.reload()
  return new Promise(() => {})
}

/** The session for which the server wrote the page, with its CSRF token. Null for a visitor. */
function embeddedSession(): SignedIn | null | undefined {
  const { visitor, csrf } = document.documentElement.dataset
  if (visitor === 'true') return null
  const session = embedded('getSession', {})?.body
  if (!session) return undefined
  pageUserId = session.user.id
  pageSession.token = csrf
  return session
}

async function findSession(signal?: AbortSignal): Promise<SignedIn | null> {
  try {
    const before = csrfToken()
    const session = await call('getSession', {}, signal && { signal })
    if (!isSameUser(session.user.id)) return await restartClient()
    const token = csrfToken()
    // The token may belong to this session or to a concurrent sign-in: read both again.
    if (token !== before) return await findSession(signal)
    pageUserId = session.user.id
    pageSession.token = token
    return session
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return null
    throw error
  }
}

/** User of a page that requires a session. */
export function useUser(): User {
  const { data } = useSession()
  if (!data) throw new Error('This page is for people who are signed in')
  return data.user
}

let endReason: string | null = null

/**
 * Reason why the session of this tab has ended, as given by the server when it closes the socket
 * (R18). Null if there was no session.
 */
export const sessionEndReason = () => endReason

/**
 * Marks this client as signed out. Pages that require a session then redirect to the sign-in page.
 */
export function endSession(reason = endReason ?? 'expired'): void {
  if (queries.getQueryData(KEY)) endReason = reason
  queries.setQueryData(KEY, null)
}

/**
 * Time for which the cookie of a new session may still be on its way when the end of the old one is
 * already known.
 */
const COOKIE_DELAY_MS = 1_000

/**
 * Checks after a revocation whether this browser has another session instead, such as after a
 * sign-in in another tab or a change of the user's own rights. Also true if the server does not
 * answer: the next socket finds out.
 */
export async function isReplaced(): Promise<boolean> {
  // Reason for calls that are refused from now on.
  endReason = 'revoked'
  await new Promise((resume) => setTimeout(resume, COOKIE_DELAY_MS))
  // The cookies of another session have another token. With the same, the look-up would be refused.
  if (csrfToken() === pageSession.token) return false
  const session = await findSession().catch(() => undefined)
  if (session === null) return false
  endReason = null
  if (session) queries.setQueryData(KEY, session)
  return true
}

/**
 * Ends the session for the whole client when a call is refused with 401, and lets `call` read the
 * session again when a CSRF token is refused.
 */
export function followSignIn(): () => void {
  pageSession.refresh = () => findSession()
  return signIn.subscribe(() => {
    if (signIn.isOver()) endSession()
  })
}
