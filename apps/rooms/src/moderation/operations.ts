import type { Transaction } from 'kysely'
import { prefixOf } from '@latchkey/http/client-prefix'
import { type Context, operation } from '../context.ts'
import type { RoomBanRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { roleChanged } from '../members/membership.ts'
import { MemberParams } from '../members/schema.ts'
import { type KnownPerson, deleteMember, holdKnownPerson, putManualRole } from '../members/store.ts'
import type { News } from '../news.ts'
import { endTransferTo } from '../ownership/transfers.ts'
import { PageQuery, findPage } from '../paging.ts'
import { auditRoom } from '../rooms/audit.ts'
import { CHANGE_REFUSALS, REFUSALS, enterToRead, requireRight } from '../rooms/entry.ts'
import { endAccess } from '../rooms/eviction.ts'
import { appendEvent } from '../rooms/log.ts'
import { standingFor } from '../rooms/operations.ts'
import { type MemberRole, removing } from '../rooms/room-access.ts'
import { RoomParams, toPerson } from '../rooms/schema.ts'
import type { FoundStanding } from '../rooms/standing.ts'
import { SUCCESS, Success } from '../wire.ts'
import { BanPage, Removal, toBan } from './schema.ts'
import { deleteBan, findBan, findLastAddress, listBans, putBan } from './store.ts'

const tag = 'Moderation'
const MINUTE_MS = 60_000

const remove = operation({
  id: 'removePerson',
  methods: ['POST'],
  path: '/rooms/{id}/members/{userId}/remove',
  scope: 'session',
  tag,
  summary: 'Kick or ban a user, present or not, which ends visit and membership at once',
  params: MemberParams,
  body: Removal,
  result: Success,
  failures: [...CHANGE_REFUSALS, 'target_is_owner'],
  async handler(context, { params, body }) {
    const told = await context.database.write((tx) => removePerson(tx, context, params, body))
    for (const news of told) context.tell(news)
    return SUCCESS
  },
})

async function removePerson(
  tx: Transaction<Tables>,
  context: Context,
  { id: roomId, userId }: { id: string; userId: string },
  removal: Removal,
): Promise<News[]> {
  const standing = await standingFor(tx, context, roomId, 'remove_others')
  const { now: nowMs } = context
  const person = await holdKnownPerson(tx, roomId, userId, nowMs)
  if (!person) throw failure('not_found')
  if (person.role === 'owner') throw failure('target_is_owner')
  const before = await findBan(tx, { roomId, userId, nowMs })
  // Who is barred has no role any more; the one that was lost still decides who may go on with this.
  const roleHeld: MemberRole | null = person.role ?? before?.role_held ?? null
  requireRight(removing(roleHeld), standing)
  await deleteMember(tx, roomId, userId)
  const bar = await barOf(tx, { removal, person, before, standing, nowMs })
  await putBan(tx, { ...bar, role_held: roleHeld })
  const { action, cooldownMinutes, reason } = removal
  const metadata = { userId, reason: reason ?? null, ...(action === 'kick' && { cooldownMinutes }) }
  await auditRoom(tx, context, { action: `room.member.${action}`, roomId, metadata })
  return endPresence(tx, { person, bar, standing, nowMs })
}

interface Removed {
  removal: Removal
  person: KnownPerson
  before: RoomBanRow | undefined
  standing: FoundStanding
  nowMs: number
}

/** A kick never shortens what barred somebody before. */
async function barOf(
  tx: Transaction<Tables>,
  { removal: { action, cooldownMinutes, reason }, person, before, standing, nowMs }: Removed,
): Promise<RoomBanRow> {
  const untilMs = action === 'ban' ? null : nowMs + cooldownMinutes * MINUTE_MS
  if (before && untilMs !== null && (before.expires_at === null || before.expires_at > untilMs)) return before
  const address = action === 'ban' && (await findLastAddress(tx, person.user_id))
  return {
    room_id: standing.roomId,
    user_id: person.user_id,
    kind: action,
    role_held: null,
    guest_prefix: address ? prefixOf(address) : (before?.guest_prefix ?? null),
    reason: reason ?? null,
    banned_by: standing.userId,
    expires_at: untilMs,
    created_at: nowMs,
  }
}

/** Ends the visit, and tells the room of it when the person was any part of it. */
async function endPresence(
  tx: Transaction<Tables>,
  {
    person,
    bar,
    standing,
    nowMs,
  }: { person: KnownPerson; bar: RoomBanRow; standing: FoundStanding; nowMs: number },
): Promise<News[]> {
  const { roomId, defaultRole } = standing
  const userIds = [person.user_id]
  const reason = bar.kind === 'ban' ? ('banned' as const) : ('kicked' as const)
  const told: News[] = []
  if (person.role !== null || person.is_present) {
    const data = { person: toPerson(person, defaultRole) }
    const event = await appendEvent(tx, { roomId, event: 'member.removed', data, nowMs })
    told.push({ kind: 'event', roomId, event })
    await putManualRole(tx, { room_id: roomId, user_id: person.user_id, role: null, nowMs })
  }
  told.push(...(await endAccess(tx, { roomId, userIds, reason, untilMs: bar.expires_at })))
  // Whoever else is at that address does not see the room any more, and news name no addresses.
  const isByAddress = bar.guest_prefix !== null && standing.visibility === 'public'
  told.push(...roleChanged(roomId, isByAddress ? 'everyone' : userIds))
  told.push(...(await endTransferTo(tx, roomId, person.user_id)))
  return told
}

const list = operation({
  id: 'listBans',
  methods: ['GET'],
  path: '/rooms/{id}/bans',
  scope: 'session',
  tag,
  summary: 'List banned and kicked users, newest first',
  params: RoomParams,
  query: PageQuery,
  result: BanPage,
  failures: REFUSALS,
  async handler(context, { params, query }) {
    const standing = await enterToRead(context, params.id)
    requireRight('remove_others', standing)
    const { rows, nextCursor } = await findPage(['bans', params.id], query, (after, limit) =>
      listBans(context.database.read, { roomId: params.id, nowMs: context.now }, after, limit),
    )
    return { bans: rows.map(toBan), nextCursor }
  },
})

const unban = operation({
  id: 'liftBan',
  methods: ['DELETE'],
  path: '/rooms/{id}/bans/{userId}',
  scope: 'session',
  tag,
  summary: 'Lift a ban or kick; the membership is not restored',
  params: MemberParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params }) {
    const { id: roomId, userId } = params
    await context.database.write(async (tx) => {
      const standing = await standingFor(tx, context, roomId, 'remove_others')
      const ban = await findBan(tx, { roomId, userId, nowMs: context.now })
      if (!ban) throw failure('not_found')
      requireRight(removing(ban.role_held), standing)
      await deleteBan(tx, roomId, userId)
      const metadata = { userId, kind: ban.kind }
      await auditRoom(tx, context, { action: 'room.member.unban', roomId, metadata })
    })
    context.tell({ kind: 'lobby', roomId })
    return SUCCESS
  },
})

export const moderationOperations = [remove, list, unban]
