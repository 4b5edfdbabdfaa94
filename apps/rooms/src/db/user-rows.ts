import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export interface UserRow {
  id: string
  nickname: string
  email: string | null
  avatar_color: string
  disabled: Flag
  is_guest: Flag
  created_at: number
  last_seen_at: number
  /** The time at which the last session of a guest ended. */
  guest_ended_at: number | null
  /** Part of the address of the profile picture; null without one. */
  picture_id: string | null
}

export interface StoredUserRow extends UserRow {
  /** The nickname, folded for searching by part of it. */
  search_name: string
  /** Equal for nicknames that look alike, as `namesOf` computes it. */
  skeleton: string
  title: string | null
  time_zone: string | null
  /** The content of the profile picture, and its size; null without one. */
  picture_sha256: string | null
  picture_bytes: number | null
  status_text: string | null
  status_emoji: string | null
  /** The time from which the status and `away` count as absent. */
  status_until: number | null
  away: Generated<Flag>
}

/** A person whom a user blocks. */
export interface BlockRow {
  user_id: string
  blocked_id: string
  created_at: number
}

/** A user who has a connection at a node. It counts as long as the heartbeat of the node does. */
export interface OnlineUserRow {
  user_id: string
  node_id: string
}

export interface UserTables {
  users: StoredUserRow
  blocks: BlockRow
  online_users: OnlineUserRow
}
