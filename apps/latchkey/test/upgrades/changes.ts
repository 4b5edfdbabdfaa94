import { migrationNotes as linksNotes } from '@latchkey/links/db/migration-notes'
import { migrationNotes as roomsNotes } from '@latchkey/rooms/db/migration-notes'
import type { Service } from '../../../../scripts/release/version-state.ts'
import type { Contents, Row } from './contents.ts'

type ChangeRow = (row: Row, contents: Contents) => Row
/** Changed rows by table. */
type Change = Readonly<Record<string, ChangeRow>>

/**
 * What migrations change in rows, as their notes say, besides tables that are new and empty and
 * columns that are new and null.
 */
const changes: Readonly<Record<Service, Readonly<Record<string, Change>>>> = {
  links: {},
  rooms: {
    '0004-rooms-for-everyone': {
      rooms: ({ retention, ...row }) => ({
        ...row,
        kind: 'room',
        is_default: 0,
        retention_days: retention === 'forever' ? null : Number(retention),
      }),
      room_user_states: (row) => ({ ...row, starred: 0 }),
    },
    '0006-read-marks': {
      room_user_states: (row, { room_members: members = [] }) => {
        const member = members.find(
          ({ room_id, user_id }) => room_id === row['room_id'] && user_id === row['user_id'],
        )
        const marks = [row['last_read_seq'], member?.['joined_seq'] ?? 0].map(Number)
        return { ...row, last_read_seq: Math.max(...marks) }
      },
    },
    '0007-people': { users: (row) => ({ ...row, away: 0 }) },
  },
}

const notes = { links: linksNotes, rooms: roomsNotes }

/** The contents after these migrations. */
export function changedBy(service: Service, due: readonly string[], contents: Contents): Contents {
  const applied = due.map((name) => {
    if (notes[service][name] === undefined) throw new Error(`${name} has no note`)
    return changes[service][name] ?? {}
  })
  return applied.reduce<Contents>(
    (before, change) =>
      Object.fromEntries(
        Object.entries(before).map(([table, rows]) => {
          const changeRow = change[table]
          return [table, changeRow ? rows.map((row) => changeRow(row, before)) : rows]
        }),
      ),
    contents,
  )
}

/** Adds what is new and empty in `actual`: tables without rows, and columns of null. */
export function withEmpty(expected: Contents, actual: Contents): Contents {
  const tables = Object.entries(actual).map(([table, actualRows]) => {
    const added = Object.keys(actualRows[0] ?? {}).map((column) => [column, null] as const)
    const rows = expected[table] ?? []
    return [table, rows.map((row) => ({ ...Object.fromEntries(added), ...row }))] as const
  })
  return { ...expected, ...Object.fromEntries(tables) }
}

/** The contents with rows in an order of their own. */
export function sorted(contents: Contents): Contents {
  const keyOf = (row: Row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return Object.fromEntries(
    Object.entries(contents).map(([table, rows]) => [
      table,
      rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    ]),
  )
}
