import { csvHeader, csvRecord } from '@latchkey/http/csv'
import type { AuditEventRow } from '../db/tables.ts'
import { toMoment } from '../api/wire.ts'

const COLUMNS = ['time', 'action', 'actor', 'actor_id', 'target_type', 'target', 'target_id'].concat([
  'address',
  'details',
])

/** Returns entries of the audit log as CSV, with the names of actors and targets (`findNames`). */
export function toCsv(rows: readonly AuditEventRow[], names: Readonly<Record<string, string>>): string {
  const records = rows.map((row) =>
    csvRecord([
      toMoment(row.created_at),
      row.action,
      names[row.actor_user_id ?? ''],
      row.actor_user_id,
      row.target_type,
      names[row.target_id ?? ''],
      row.target_id,
      row.client_ip,
      row.metadata,
    ]),
  )
  return [csvHeader(COLUMNS), ...records].join('')
}
