import { CallError } from '@latchkey/web/call'
import { call } from '../call.ts'
import { invalidate } from '../queries.ts'
import { endSession, isReplaced, isSameUser, restartClient } from '../session.ts'
import { Connection } from './connection.ts'
import { PAGE } from './room-subscription.ts'

/** The socket of this tab. */
export const live = new Connection({
  open(protocol, listeners) {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/ws`, protocol)
    socket.addEventListener('message', ({ data }) => listeners.onMessage(String(data)))
    socket.addEventListener('close', ({ code, reason }) => listeners.onClose(code, reason))
    return socket
  },
  log: {
    eventsAfter: (id, after) => call('listRoomEvents', { params: { id }, query: { after, limit: PAGE } }),
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

const refreshPending = () => void invalidate('pending')

/** Connected for as long as somebody is signed in; returns what ends it. */
export function stayConnected(): () => void {
  live.start()
  const reconnectNow = () => live.reconnectNow()
  addEventListener('online', reconnectNow)
  // Wherever one is: what waits for an answer may be looked at next. What came while nobody listened is found by looking.
  const stopHearing = live.onNotice(refreshPending)
  const stopWatching = live.watch(() => live.state === 'live' && refreshPending())
  return () => {
    removeEventListener('online', reconnectNow)
    stopHearing()
    stopWatching()
    live.stop()
  }
}

/** For what ends this session on purpose: the page says itself where it goes on, before the socket's end can. */
export async function withoutConnection<Value>(act: () => Promise<Value>): Promise<Value> {
  live.stop()
  try {
    return await act()
  } catch (error) {
    live.start()
    throw error
  }
}
