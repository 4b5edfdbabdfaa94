import { CallError } from '@latchkey/web/call'
import { call } from '../call.ts'
import { changed } from '../queries.ts'
import { endSession, isReplaced, isStill, startAnew } from '../session.ts'
import { Connection } from './connection.ts'
import { PAGE } from './following.ts'

/** The socket of this tab. */
export const live = new Connection({
  open(protocol, ears) {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/ws`, protocol)
    socket.addEventListener('message', ({ data }) => ears.heard(String(data)))
    socket.addEventListener('close', ({ code, reason }) => ears.lost(code, reason))
    return socket
  },
  log: {
    eventsAfter: (id, after) => call('listRoomEvents', { params: { id }, query: { after, limit: PAGE } }),
    refusalOf: (error) =>
      error instanceof CallError && (error.status === 403 || error.status === 404)
        ? (error.code ?? 'not_found')
        : undefined,
  },
  isStill,
  onSomebodyElse: () => void startAnew(),
  onSessionEnd: (reason) => void sessionEnded(reason),
})

async function sessionEnded(reason: string): Promise<void> {
  if (reason === 'revoked' && (await isReplaced())) live.start()
  else endSession(reason)
}

const lookAgain = () => void changed('pending')

/** Connected for as long as somebody is signed in; returns what ends it. */
export function stayConnected(): () => void {
  live.start()
  const hurry = () => live.hurry()
  addEventListener('online', hurry)
  // Wherever one is: what waits for an answer may be looked at next. What came while nobody listened is found by looking.
  const stopHearing = live.onNotice(lookAgain)
  const stopWatching = live.watch(() => live.state === 'live' && lookAgain())
  return () => {
    removeEventListener('online', hurry)
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
