import { isStorageUnavailable } from '@latchkey/database/errors'
import { elapsedMs } from '@latchkey/http/elapsed'
import { Failure } from '@latchkey/http/failure'
import { toListedFailure } from '../api/failures.ts'
import type { Services } from '../services.ts'
import { findActorOfSession } from '../sessions/actor.ts'
import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { type ClientFrame, Close, readFrame } from './protocol.ts'

const MAX_MALFORMED = 10
/**
 * Interval at which the session of an active connection is looked up, which also extends it
 * (R10.4).
 */
const CHECK_EVERY_MS = 60_000

/** Answers one frame. Never rejects because of what a client sent. */
export async function handleFrame(
  services: Services,
  hub: Hub,
  connection: Connection,
  text: string,
): Promise<void> {
  if (connection.isClosed) return
  const read = readFrame(text)
  if (read.frame === null) return refuseMalformed(connection, read.id)
  const { frame } = read
  try {
    // Share their limit with the operations that change a room.
    if (frame.type === 'subscribe' || frame.type === 'voice.state')
      services.rates.take('room_writes_per_minute', connection.userId)
    if (frame.type !== 'ping') await refreshSession(services, hub, connection)
    if (!connection.isClosed) await perform(hub, connection, frame)
  } catch (error) {
    if (!(error instanceof Failure))
      services.log.error('frame: cannot be answered', { type: frame.type, error })
    connection.sendFrame({ type: 'error', id: 'id' in frame ? frame.id : null, code: codeOf(error) })
  }
}

/** Error code of an `error` frame for a thrown value. */
function codeOf(error: unknown): string {
  if (error instanceof Failure) return toListedFailure(error).code
  return isStorageUnavailable(error) ? 'unavailable' : 'internal'
}

function refuseMalformed(connection: Connection, id: string | null): void {
  connection.malformed++
  connection.sendFrame({ type: 'error', id, code: 'invalid_request' })
  if (connection.malformed >= MAX_MALFORMED) connection.close(Close.protocol, 'malformed')
}

/** Checks the session and extends it. Frames count as use of the session; pings do not. */
async function refreshSession(
  services: Services,
  { sessionExpiry }: Hub,
  connection: Connection,
): Promise<void> {
  const nowMs = services.steadyNow()
  const everyMs = Math.min(CHECK_EVERY_MS, services.policy.sessions.idleMs / 10)
  if (elapsedMs(connection.checkedAtMs, nowMs) < everyMs) return
  connection.checkedAtMs = nowMs
  const actor = await findActorOfSession(services, connection.sessionId)
  if (actor) return void (connection.expiresAtMs = actor.session.idleExpiresAtMs)
  await sessionExpiry.check([connection.sessionId])
  // The session is still valid, but the user is disabled.
  connection.close(Close.session, 'disabled')
}

async function perform(hub: Hub, connection: Connection, frame: ClientFrame): Promise<void> {
  switch (frame.type) {
    case 'subscribe':
      return hub.subscribe(connection, frame.id, frame.roomId)
    case 'unsubscribe':
      await hub.unsubscribe(connection, frame.roomId)
      return connection.sendFrame({ type: 'unsubscribed', id: frame.id, roomId: frame.roomId })
    case 'subscribe_lobby':
      await hub.lobby.add(connection)
      return connection.sendFrame({ type: 'subscribed_lobby', id: frame.id })
    case 'unsubscribe_lobby':
      hub.lobby.remove(connection)
      return connection.sendFrame({ type: 'unsubscribed_lobby', id: frame.id })
    case 'people':
      return hub.people.watch(connection, frame.id, frame.userIds)
    case 'typing': {
      const room = hub.rooms.find(frame.roomId)
      if (room && connection.subscriptions.has(frame.roomId))
        hub.typing.update(connection, room, frame.active)
      return
    }
    case 'voice.state':
      return hub.calls.setState(connection, frame)
    case 'voice.signal':
      return hub.calls.signal(connection, frame)
    case 'ping':
      return connection.sendFrame({ type: 'pong', id: frame.id })
  }
}
