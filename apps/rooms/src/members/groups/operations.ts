import { codePoints } from '@latchkey/http/text'
import { type Context, operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import type { Tx } from '../../db/tables.ts'
import {
  CHANGE_REFUSALS,
  REFUSALS,
  admitReader,
  authorizeInRoom,
  requirePermission,
} from '../../rooms/admission.ts'
import { auditRoom } from '../../rooms/audit.ts'
import { RoomParams } from '../../rooms/schema.ts'
import { RoomGroups, RoomGroupsAnswer, toRoomGroups } from './schema.ts'
import { putGroups, selectGroups } from './store.ts'

const tag = 'Members'

const listRoomGroups = operation({
  id: 'listRoomGroups',
  methods: ['GET'],
  path: '/rooms/{id}/groups',
  scope: 'session',
  tag,
  summary: 'List the groups of the identity provider whose people are members; for moderators',
  params: RoomParams,
  result: RoomGroupsAnswer,
  failures: REFUSALS,
  async handler(context, { params }) {
    const access = await admitReader(context, params.id)
    requirePermission('list_groups', access)
    const rows = await selectGroups(context.database.read, params.id)
    return { ...toRoomGroups(rows), enabled: context.policy.readsGroups }
  },
})

const replaceRoomGroups = operation({
  id: 'replaceRoomGroups',
  methods: ['PUT'],
  path: '/rooms/{id}/groups',
  scope: 'session',
  tag,
  summary: 'Replace the groups whose people are members; each person’s next sign-in applies them',
  params: RoomParams,
  body: RoomGroups,
  result: RoomGroupsAnswer,
  failures: [...CHANGE_REFUSALS, 'limit_reached'],
  async handler(context, { params, body }) {
    const { groups_room: maxGroups, group_length: maxLength } = context.policy.limits
    if (maxGroups === 0) throw failure('forbidden')
    if (body.groups.length > maxGroups || body.groups.some(({ name }) => codePoints(name) > maxLength))
      throw failure('limit_reached')
    const groups = await context.database.write((tx) => replaceGroups(tx, context, params.id, body))
    return { ...groups, enabled: context.policy.readsGroups }
  },
})

async function replaceGroups(
  tx: Tx,
  context: Context,
  roomId: string,
  { groups }: RoomGroups,
): Promise<RoomGroups> {
  await authorizeInRoom(tx, context, roomId, 'change_groups')
  const before = toRoomGroups(await selectGroups(tx, roomId)).groups
  await putGroups(
    tx,
    roomId,
    groups.map((group) => ({ room_id: roomId, ...group })),
  )
  const after = toRoomGroups(await selectGroups(tx, roomId)).groups
  if (JSON.stringify(before) !== JSON.stringify(after))
    await auditRoom(tx, context, {
      action: 'room.groups.update',
      roomId,
      metadata: { from: before, to: after },
    })
  return { groups: after }
}

export const groupOperations = [listRoomGroups, replaceRoomGroups]
