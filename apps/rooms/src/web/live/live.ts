import { CallError } from '@latchkey/web/call'
import { call } from '../call.ts'
import { follow, invalidate } from '../queries.ts'
import { endSession, isReplaced, isSameUser, restartClient } from '../session.ts'
import { Connection } from './connection.ts'
import { watchLife } from './watch-life.ts'
import { PAGE_SIZE } from './room-subscription.ts'

/** The socket of this tab. */
export const live = new Connection({
  open(protocol, listeners) {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/ws`, protocol)
    socket.addEventListener('message', ({ data }) => listeners.onMessage(String(data)))
    socket.addEventListener('close', ({ code, reason }) => listeners.onClose(code, reason))
    return socket
  },
  log: {
    eventsAfter: (id, after) =>
      call('listRoomEvents', { params: { id }, query: { after, limit: PAGE_SIZE } }),
    refusalOf: (error) =>
      error instanceof CallError && (error.status === 403 || error.status === 404)
        ? (error.code ?? 'not_found')
        : undefined,
  },
  isSameUser,
  onUserChange: () => void restartClient(),
  onSessionEnd: (reason) => void onSessionEnd(reason),
})

async function onSessionEnd(reason: string): Promise<void> {
  if (reason === 'revoked' && (await isReplaced())) live.start()
  else endSession(reason)
}

/** Connects for as long as a user is signed in. The returned function disconnects. */
export function stayConnected(): () => void {
  live.start()
  const stopListening = watchLife(live)
  // Invitations and offers show on every page. Changes without a connection are found by reading
  // them again.
  const stopNotices = live.onNotice(({ notice }) => {
    if (notice !== 'read' && notice !== 'draft' && !notice.startsWith('call'))
      void invalidate('pending', 'session')
  })
  const stopWatching = live.watch(() => live.state === 'live' && follow('pending'))
  return () => {
    stopListening()
    stopNotices()
    stopWatching()
    live.stop()
  }
}

/**
 * Runs an action that ends this session on purpose, without a connection: the end of the socket
 * must not decide where the page goes next.
 */
export async function withoutConnection<Value>(act: () => Promise<Value>): Promise<Value> {
  live.stop()
  try {
    return await act()
  } catch (error) {
    live.start()
    throw error
  }
}
