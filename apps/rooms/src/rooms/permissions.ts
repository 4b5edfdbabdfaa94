import { type DefaultRole, type MemberRole, ROOM_ROLES, type RoomRole } from '../api/roles.ts'

/** Whether `role` is `minRole` or a higher role. */
export function isAtLeast(role: RoomRole | null, minRole: RoomRole): boolean {
  return role !== null && ROOM_ROLES.indexOf(role) <= ROOM_ROLES.indexOf(minRole)
}

/** Facts about a user and a room from the database, read again for every decision. */
export interface RoomAccess {
  readonly roomId: string
  readonly kind: 'room' | 'direct'
  readonly visibility: 'public' | 'unlisted' | 'private'
  readonly allowGuests: boolean
  readonly defaultRole: DefaultRole
  /** Owner, or the role of the membership; null for visitors. */
  readonly role: RoomRole | null
  readonly isGuest: boolean
  /** The user is an administrator and may use that right here now. Never in a direct conversation. */
  readonly isAdmin: boolean
  /**
   * The user is an administrator but signed in too long ago to use that right
   * (`ADMIN_REAUTH_SECONDS`).
   */
  readonly needsSignIn: boolean
  /** Ban or kick in force, including a ban of the client prefix of a guest. */
  readonly ban: { readonly kind: 'kick' | 'ban'; readonly untilMs: number | null } | null
}

/** Outcomes of an entry (R17.2), in the order in which they are checked. */
export type EntryDecision =
  | 'yes'
  | 'reauth_required'
  | 'not_found'
  | 'banned'
  | 'cooldown'
  | 'guests_not_allowed'

export function decideEntry(access: RoomAccess): EntryDecision {
  if (access.isAdmin) return 'yes'
  const entry = decideOrdinaryEntry(access)
  return entry !== 'yes' && access.needsSignIn ? 'reauth_required' : entry
}

/** Decides the entry without the right of an administrator. */
export function decideOrdinaryEntry(access: RoomAccess): Exclude<EntryDecision, 'reauth_required'> {
  const { visibility, isGuest, ban, role } = access
  const isPrivate = visibility === 'private'
  if (ban) return isPrivate ? 'not_found' : ban.kind === 'ban' ? 'banned' : 'cooldown'
  if (isPrivate && (role === null || isGuest)) return 'not_found'
  if (isGuest && !access.allowGuests) return 'guests_not_allowed'
  return 'yes'
}

/** Actions in a room beyond entering it (R17.4). */
export type RoomAction =
  | 'list_members'
  | 'delete_any_message'
  | 'read_message_versions'
  | 'pin_message'
  | 'mention_group'
  | 'moderate_call'
  | 'search_people'
  | 'invite_listeners_and_speakers'
  | 'invite_moderators'
  | 'set_listener_or_speaker'
  | 'set_moderator'
  | 'remove_others'
  | 'remove_moderators'
  | 'change_room'
  | 'list_groups'
  | 'change_groups'

/** Lowest role for each action. Administrators may do all of them. */
const MIN_ROLE: Readonly<Record<RoomAction, RoomRole>> = {
  list_members: 'listener',
  delete_any_message: 'moderator',
  read_message_versions: 'moderator',
  pin_message: 'moderator',
  mention_group: 'moderator',
  moderate_call: 'moderator',
  search_people: 'moderator',
  invite_listeners_and_speakers: 'moderator',
  invite_moderators: 'owner',
  set_listener_or_speaker: 'moderator',
  set_moderator: 'owner',
  remove_others: 'moderator',
  remove_moderators: 'owner',
  change_room: 'owner',
  list_groups: 'moderator',
  change_groups: 'owner',
}

/**
 * Actions that no guest may take, whatever the role: a guest who owns a room may not search people
 * either, nor make the people of a group its members (R14.5, R34, R38.3).
 */
const NOT_FOR_GUESTS: ReadonlySet<RoomAction> = new Set([
  'search_people',
  'mention_group',
  'list_groups',
  'change_groups',
])

/** Actions of everyone in a direct conversation, whose people are equals. */
const IN_DIRECTS: ReadonlySet<RoomAction> = new Set(['list_members', 'pin_message', 'mention_group'])

/** Decides the permission matrix; the only place that does. Entry is decided before. */
export function may(action: RoomAction, { kind, role, isAdmin, isGuest }: RoomAccess): boolean {
  if (kind === 'direct') return role !== null && IN_DIRECTS.has(action)
  if (isGuest && NOT_FOR_GUESTS.has(action)) return false
  if (isGuest && action === 'list_members') return role === 'owner'
  return isAdmin || isAtLeast(role, MIN_ROLE[action])
}

/** Role of a member, or the default role of the room for visitors. */
export function effectiveRole({ role, defaultRole }: Pick<RoomAccess, 'role' | 'defaultRole'>): RoomRole {
  return role ?? defaultRole
}

/** Right to speak in calls (R33.4). */
export function canPublish(access: Pick<RoomAccess, 'role' | 'defaultRole'>): boolean {
  return isAtLeast(effectiveRole(access), 'speaker')
}

/** Action of inviting with this role. */
export function inviteActionFor(role: MemberRole): RoomAction {
  return role === 'moderator' ? 'invite_moderators' : 'invite_listeners_and_speakers'
}

export function setRoleActionFor(role: MemberRole): RoomAction {
  return role === 'moderator' ? 'set_moderator' : 'set_listener_or_speaker'
}

/** Action of kicking, banning or unbanning a user who has, or had, this role. */
export function removeActionFor(role: MemberRole | null): RoomAction {
  return role === 'moderator' ? 'remove_moderators' : 'remove_others'
}
