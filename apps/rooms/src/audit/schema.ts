import { z } from 'zod'
import type { AuditEventRow } from '../db/tables.ts'
import { NextCursor, PageQuery } from '../api/paging.ts'
import { trimmedText } from '../api/text.ts'
import { Id, Moment, QueriedTime, toMoment } from '../api/wire.ts'

export const AuditLine = z
  .object({
    id: z.string(),
    actorUserId: z.string().nullable(),
    action: z.string(),
    targetType: z.string().nullable(),
    targetId: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    clientIp: z.string().nullable(),
    createdAt: Moment,
  })
  .meta({ id: 'AuditLine' })
export type AuditLine = z.output<typeof AuditLine>

export const AuditPage = z.object({
  events: z.array(AuditLine),
  names: z.record(z.string(), z.string()).meta({
    description:
      'Current names of the users and rooms that the entries mention, by id. Those that were deleted are missing.',
  }),
  nextCursor: NextCursor,
})

const Name = trimmedText(1, 255)

const filters = {
  action: Name.optional().meta({ description: 'Only entries of this action.' }),
  actorUserId: Id.optional().meta({ description: 'Only entries of what this person did.' }),
  targetType: Name.optional().meta({ description: 'Only entries about this kind of thing.' }),
  targetId: Name.optional().meta({ description: 'Only entries about the thing with this id.' }),
  before: QueriedTime.optional().meta({ description: 'Only entries before this time, in ISO 8601.' }),
}

export const AuditFilter = z.object(filters)
export type AuditFilter = z.output<typeof AuditFilter>
export const AuditQuery = PageQuery.extend(filters)

export function toAuditLine(row: AuditEventRow): AuditLine {
  return {
    id: row.id,
    actorUserId: row.actor_user_id,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    clientIp: row.client_ip,
    createdAt: toMoment(row.created_at),
  }
}
