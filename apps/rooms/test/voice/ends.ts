// Everything that ends the right to be in a call (R33.5).
import { admin, changeSettings, deleteRoom, leave } from '../actions.ts'
import type { TestRooms } from '../rooms.ts'
import type { Caller, threeInCall } from './call.ts'

export type InCall = Awaited<ReturnType<typeof threeInCall>>

export interface End {
  what: string
  act: (rooms: TestRooms, call: InCall) => Promise<unknown>
  /** The frame or the close code that the speaker gets. */
  notice: { type: string; reason: string } | number
  /** Who is still in the call; by default owner and listener. */
  othersOf?: (call: InCall) => readonly Caller[]
}

const removed = (reason: string) => ({ type: 'room.removed', reason })
const manage = ({ owner, roomId, speaker }: InCall, path: string, method: string, body?: unknown) =>
  owner.browser.send(`/api/rooms/${roomId}/members/${speaker.user.id}${path}`, {
    method,
    ...(body !== undefined && { body }),
  })

export const ENDS: readonly End[] = [
  {
    what: 'kick',
    act: (_, call) => manage(call, '/remove', 'POST', { action: 'kick', cooldownMinutes: 5 }),
    notice: removed('kicked'),
  },
  {
    what: 'ban',
    act: (_, call) => manage(call, '/remove', 'POST', { action: 'ban' }),
    notice: removed('banned'),
  },
  {
    what: 'leaving the room',
    act: (_, { speaker, roomId }) => leave(speaker, roomId),
    notice: removed('left'),
  },
  {
    what: 'the role of a listener',
    act: (_, call) => manage(call, '', 'PATCH', { role: 'listener' }),
    notice: { type: 'voice.removed', reason: 'rights' },
  },
  {
    what: 'calls without cameras',
    act: (_, { owner, roomId }) => changeSettings(owner, roomId, { voice: 'voice' }),
    notice: { type: 'voice.removed', reason: 'rights' },
    othersOf: ({ listener }) => [listener],
  },
  {
    what: 'no calls in the room',
    act: (_, { owner, roomId }) => changeSettings(owner, roomId, { voice: 'off' }),
    notice: { type: 'voice.removed', reason: 'off' },
    othersOf: () => [],
  },
  {
    what: 'deletion of the room',
    act: (_, { owner, roomId }) => deleteRoom(owner, roomId),
    notice: removed('deleted'),
    othersOf: () => [],
  },
  {
    what: 'signing out',
    act: (_, { speaker }) => speaker.browser.send('/api/auth/logout', { method: 'POST', body: {} }),
    notice: 4401,
  },
  {
    what: 'disabling the account',
    act: async (rooms, { speaker }) =>
      (await admin(rooms)).browser.send(`/api/admin/users/${speaker.user.id}/status`, {
        method: 'PATCH',
        body: { disabled: true },
      }),
    notice: 4401,
  },
  {
    what: 'the end of the session',
    act: ({ rooms, clock }, { speaker }) =>
      rooms.database.write((tx) =>
        tx
          .updateTable('sessions')
          .set({ idle_expires_at: clock.ms - 1 })
          .where('user_id', '=', speaker.user.id)
          .execute(),
      ),
    notice: 4401,
  },
]
