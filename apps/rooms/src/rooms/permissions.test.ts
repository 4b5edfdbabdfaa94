import { expect, test } from 'bun:test'
import {
  type RoomAction,
  type RoomAccess,
  canPublish,
  effectiveRole,
  decideEntry,
  inviteActionFor,
  may,
  removeActionFor,
  setRoleActionFor,
} from './permissions.ts'

const visitor: RoomAccess = {
  roomId: 'r',
  kind: 'room',
  visibility: 'public',
  allowGuests: true,
  defaultRole: 'listener',
  role: null,
  isGuest: false,
  isAdmin: false,
  needsSignIn: false,
  ban: null,
}
const PEOPLE = {
  visitor,
  listener: { ...visitor, role: 'listener' },
  speaker: { ...visitor, role: 'speaker' },
  moderator: { ...visitor, role: 'moderator' },
  owner: { ...visitor, role: 'owner' },
  admin: { ...visitor, isAdmin: true },
} as const satisfies Record<string, RoomAccess>

/**
 * Rows of R17.4, with y and n for visitor, listener, speaker, moderator, owner and administrator.
 */
const MATRIX: readonly [RoomAction, string][] = [
  ['list_members', 'nyyyyy'],
  ['delete_any_message', 'nnnyyy'],
  ['read_message_versions', 'nnnyyy'],
  ['pin_message', 'nnnyyy'],
  ['mention_group', 'nnnyyy'],
  ['search_people', 'nnnyyy'],
  [inviteActionFor('listener'), 'nnnyyy'],
  [inviteActionFor('speaker'), 'nnnyyy'],
  [inviteActionFor('moderator'), 'nnnnyy'],
  [setRoleActionFor('listener'), 'nnnyyy'],
  [setRoleActionFor('speaker'), 'nnnyyy'],
  [setRoleActionFor('moderator'), 'nnnnyy'],
  [removeActionFor(null), 'nnnyyy'],
  [removeActionFor('listener'), 'nnnyyy'],
  [removeActionFor('speaker'), 'nnnyyy'],
  [removeActionFor('moderator'), 'nnnnyy'],
  ['change_room', 'nnnnyy'],
  ['list_groups', 'nnnyyy'],
  ['change_groups', 'nnnnyy'],
]

test('R17.4: each role may do exactly what the permission matrix allows', () => {
  for (const [action, row] of MATRIX) {
    const actual = Object.values<RoomAccess>(PEOPLE).map((access) => (may(action, access) ? 'y' : 'n'))
    expect([action, actual.join('')]).toEqual([action, row])
  }
})

test('R14.5: a guest who owns a room may list its members but not search for users; other guests may do neither', () => {
  for (const role of [null, 'listener', 'speaker', 'owner'] as const) {
    const guest = { ...visitor, isGuest: true, role }
    expect([role, may('list_members', guest)]).toEqual([role, role === 'owner'])
    expect([role, may('search_people', guest)]).toEqual([role, false])
  }
  expect(may('change_room', { ...visitor, isGuest: true, role: 'owner' })).toBe(true)
})

test('R17.3, R17.3a: visitors have the default role of the room; speakers and higher roles may publish', () => {
  for (const defaultRole of ['listener', 'speaker'] as const) {
    expect(effectiveRole({ ...visitor, defaultRole })).toBe(defaultRole)
    expect(canPublish({ ...visitor, defaultRole })).toBe(defaultRole === 'speaker')
    expect(canPublish({ ...PEOPLE.listener, defaultRole })).toBe(false)
    for (const role of ['speaker', 'moderator', 'owner'] as const)
      expect(canPublish({ role, defaultRole })).toBe(true)
  }
})

/** All combinations of the facts that decide entry. */
const ALL_COMBINATIONS: readonly RoomAccess[] = (
  [
    ['visibility', ['public', 'unlisted', 'private']],
    ['allowGuests', [true, false]],
    ['role', [null, 'listener', 'owner']],
    ['isGuest', [true, false]],
    ['isAdmin', [true, false]],
    ['ban', [null, { kind: 'kick', untilMs: 1 }, { kind: 'ban', untilMs: null }]],
  ] as const
).reduce<RoomAccess[]>(
  (accesses, [member, values]) =>
    accesses.flatMap((access) => values.map((value) => ({ ...access, [member]: value }))),
  [visitor],
)

test('R17.2: entry is decided in the order of the rule for every combination of facts', () => {
  expect(ALL_COMBINATIONS).toHaveLength(3 * 2 * 3 * 2 * 2 * 3)
  const outcomes = (which: (access: RoomAccess) => unknown) => {
    const decisions = ALL_COMBINATIONS.filter((access) => which(access))
    expect(decisions.length).toBeGreaterThan(0)
    return [...new Set(decisions.map(decideEntry))]
  }
  const isHidden = (access: RoomAccess) => access.visibility === 'private'
  const isBanned = (kind: string) => (access: RoomAccess) => !access.isAdmin && access.ban?.kind === kind
  const free = (access: RoomAccess) => !access.isAdmin && access.ban === null
  expect(outcomes((access) => access.isAdmin)).toEqual(['yes'])
  expect(outcomes((access) => isBanned('ban')(access) && !isHidden(access))).toEqual(['banned'])
  expect(outcomes((access) => isBanned('kick')(access) && !isHidden(access))).toEqual(['cooldown'])
  expect(outcomes((access) => !access.isAdmin && access.ban && isHidden(access))).toEqual(['not_found'])
  expect(outcomes((access) => free(access) && isHidden(access) && (access.isGuest || !access.role))).toEqual([
    'not_found',
  ])
  expect(outcomes((access) => free(access) && isHidden(access) && !access.isGuest && access.role)).toEqual([
    'yes',
  ])
  const open = (access: RoomAccess) => free(access) && !isHidden(access)
  expect(outcomes((access) => open(access) && access.isGuest && !access.allowGuests)).toEqual([
    'guests_not_allowed',
  ])
  expect(outcomes((access) => open(access) && (!access.isGuest || access.allowGuests))).toEqual(['yes'])
})
