import { type Context, operation } from '../api/context.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { failure } from '../api/failures.ts'
import type { Tx } from '../db/tables.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { CHANGE_REFUSALS, admitWithoutAdminRight, requireOpen } from '../rooms/admission.ts'
import { decideOrdinaryEntry } from '../rooms/permissions.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { RoomParams } from '../rooms/schema.ts'
import { requirePlace } from '../rooms/visits.ts'
import { assignRole } from './membership.ts'
import { type Member, MemberAnswer, toMember } from './schema.ts'
import { type KnownPerson, lockKnownPerson } from './store.ts'

export const becomeMember = operation({
  id: 'becomeMember',
  methods: ['PUT'],
  path: '/rooms/{id}/membership',
  scope: 'session',
  tag: 'Members',
  summary: 'Become a member of a public or unlisted room, with its default role',
  params: RoomParams,
  result: MemberAnswer,
  failures: [...CHANGE_REFUSALS, 'archived', 'room_full'],
  async handler(context, { params }) {
    const { member, events } = await context.writeInRoom(params.id, (tx) =>
      joinRoomForGood(tx, context, params.id),
    )
    for (const event of events) context.publish(event)
    return { member }
  },
})

async function joinRoomForGood(
  tx: Tx,
  context: Context,
  roomId: string,
): Promise<{ member: Member; events: ClusterEvent[] }> {
  await lockRoom(tx, roomId)
  const access = await admitWithoutAdminRight(tx, roomId, context.entrant)
  requireOpen(access.room)
  if (access.role === null) await requirePlace(tx, access, context)
  const { person, events } = await joinAsMember(tx, access, { nowMs: context.now })
  return {
    member: toMember({ ...person, joined_at: person.joined_at ?? context.now }, access.defaultRole),
    events,
  }
}

/** Whether the user is a visitor of a room whose members need no invitation (R36.4). */
export function mayJoin(access: UserRoomAccess): boolean {
  return access.role === null && access.visibility !== 'private' && decideOrdinaryEntry(access) === 'yes'
}

/**
 * Makes a visitor a member with the default role; a member stays as they are. The room must be
 * locked. `seq` is the sequence number for the event, if this transaction has taken it already.
 */
export async function joinAsMember(
  tx: Tx,
  { room, userId, role, visit, defaultRole }: UserRoomAccess,
  { nowMs, seq }: { nowMs: number; seq?: number },
): Promise<{ person: KnownPerson; joinedSeq: number; events: ClusterEvent[] }> {
  const person = await lockKnownPerson(tx, room.id, userId, nowMs)
  if (!person) throw failure('not_found')
  const lastSeq = seq === undefined ? room.last_seq : seq - 1
  if (role !== null) return { person, joinedSeq: lastSeq, events: [] }
  // What a visitor can read stays readable.
  const joinedSeq = visit && visit.endedAtMs === null ? Math.min(visit.startedSeq, lastSeq) : lastSeq
  const assignment = { room, person, role: defaultRole, nowMs, joinedSeq }
  return { joinedSeq, ...(await assignRole(tx, { ...assignment, ...(seq !== undefined && { seq }) })) }
}
