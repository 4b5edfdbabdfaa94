/**
 * Roles that a membership can have, highest first. Visitors have the default role of the room
 * (R17.3).
 */
export const MEMBER_ROLES = ['moderator', 'speaker', 'listener'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** Roles of users in a room, highest first. */
export const ROOM_ROLES = ['owner', ...MEMBER_ROLES] as const
export type RoomRole = (typeof ROOM_ROLES)[number]

/** Roles that a room can give to users without membership, highest first. */
export const DEFAULT_ROLES = ['speaker', 'listener'] as const satisfies readonly MemberRole[]
export type DefaultRole = (typeof DEFAULT_ROLES)[number]
