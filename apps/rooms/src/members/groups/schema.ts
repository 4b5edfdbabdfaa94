import { z } from 'zod'
import { text } from '@latchkey/http/text'
import type { RoomGroupRow } from '../../db/tables.ts'
import { MemberRole } from '../schema.ts'

const RoomGroup = z.strictObject({
  name: text().min(1).meta({
    description: 'The name of the group at the identity provider, character by character.',
  }),
  role: MemberRole.meta({ description: 'The role that the group gives.' }),
})

export const RoomGroups = z
  .object({
    groups: z
      .array(RoomGroup)
      .refine((groups) => new Set(groups.map(({ name }) => name)).size === groups.length, 'must be different')
      .meta({ description: 'Groups whose people are members, by name.' }),
  })
  .meta({ id: 'RoomGroups' })
export type RoomGroups = z.output<typeof RoomGroups>

export const RoomGroupsAnswer = RoomGroups.extend({
  enabled: z.boolean().meta({
    description: 'Whether this instance reads groups at sign-in (`ROOMS_GROUPS_CLAIM`).',
  }),
})

export function toRoomGroups(rows: readonly RoomGroupRow[]): RoomGroups {
  return { groups: rows.map(({ name, role }) => ({ name, role })) }
}
