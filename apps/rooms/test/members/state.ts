import { expect } from 'bun:test'
import { refusal } from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import type { TestRooms } from '../rooms.ts'

const TABLES = [
  'rooms',
  'room_members',
  'room_visits',
  'presence_leases',
  'room_messages',
  'room_message_versions',
  'room_mentions',
  'room_reactions',
  'room_events',
  'files',
  'file_contents',
  'room_bans',
  'room_invitations',
  'room_invitation_uses',
  'room_manual_roles',
  'room_ownership_transfers',
] as const

/**
 * The stored state of rooms, and the numbers of their events and audit rows. Entries of
 * administrators are left out.
 */
export async function stateOf(test: TestRooms): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {}
  for (const table of TABLES) {
    const rows = await test.rooms.database.read.selectFrom(table).selectAll().execute()
    state[table] = rows.map((row) => JSON.stringify(row)).toSorted()
  }
  const lines = (await listAuditEvents(test)).filter(({ action }) => action !== 'room.admin_entry')
  return { ...state, audit: lines.length, events: test.publishedEvents.length }
}

/** Expects a refusal with this status and code that changes nothing. */
export async function expectRefused(
  test: TestRooms,
  request: () => Promise<Response>,
  refused: [number, string],
): Promise<void> {
  const before = await stateOf(test)
  expect(await refusal(await request())).toEqual(refused)
  expect(await stateOf(test)).toEqual(before)
}

/** The audit rows of a room, without its creation. */
export async function linesOf(test: TestRooms, roomId: string): Promise<Record<string, unknown>[]> {
  const lines = await listAuditEvents(test)
  return lines.filter(
    ({ action, target }) => action !== 'room.create' && (target as string[] | null)?.[1] === roomId,
  )
}
