import { expect } from 'bun:test'
import { refusal } from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import type { TestRooms } from '../rooms.ts'

const TABLES = [
  'rooms',
  'room_members',
  'room_visits',
  'presence_leases',
  'room_events',
  'room_bans',
  'room_invitations',
  'room_invitation_uses',
  'room_manual_roles',
  'room_ownership_transfers',
] as const

/** All that rooms consist of, and what was told and written down of it; entries of administrators apart. */
export async function stateOf(test: TestRooms): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {}
  for (const table of TABLES) {
    const rows = await test.rooms.database.read.selectFrom(table).selectAll().execute()
    state[table] = rows.map((row) => JSON.stringify(row)).toSorted()
  }
  const lines = (await listAuditEvents(test)).filter(({ action }) => action !== 'room.admin_entry')
  return { ...state, audit: lines.length, told: test.publishedEvents.length }
}

/** That a request is refused with this status and code, and that nothing is different afterwards. */
export async function expectRefused(
  test: TestRooms,
  request: () => Promise<Response>,
  refused: [number, string],
): Promise<void> {
  const before = await stateOf(test)
  expect(await refusal(await request())).toEqual(refused)
  expect(await stateOf(test)).toEqual(before)
}

/** The audit lines of a room, but not that it was created. */
export async function linesOf(test: TestRooms, roomId: string): Promise<Record<string, unknown>[]> {
  const lines = await listAuditEvents(test)
  return lines.filter(
    ({ action, target }) => action !== 'room.create' && (target as string[] | null)?.[1] === roomId,
  )
}
