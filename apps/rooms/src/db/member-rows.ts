import type { MemberRole } from '../api/roles.ts'

export interface RoomMemberRow {
  room_id: string
  user_id: string
  role: MemberRole
  joined_at: number
  joined_seq: number
  /** The group of the provider that gives the role; null for roles of another origin. */
  group_name: string | null
  /** The role that is left when the group ends; null if the membership then ends. */
  own_role: MemberRole | null
}

/** A group of the identity provider whose people are members. */
export interface RoomGroupRow {
  room_id: string
  name: string
  role: MemberRole
}

/** The last role that was set manually for a user in a room. */
export interface RoomManualRoleRow {
  room_id: string
  user_id: string
  /** Null after a kick or ban. */
  role: MemberRole | null
  /** The last sequence number of the room when the role was set. */
  seq: number
  set_at: number
}

/** What a user has begun to write in a room. */
export interface RoomDraftRow {
  user_id: string
  room_id: string
  content: string
  updated_at: number
}

export interface MemberTables {
  room_members: RoomMemberRow
  room_groups: RoomGroupRow
  room_manual_roles: RoomManualRoleRow
  room_drafts: RoomDraftRow
}
