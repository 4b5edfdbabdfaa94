import { type SqlBool, sql } from 'kysely'
import type { RoomUserStateRow } from '../db/tables.ts'
import { DEFAULT_LEVEL } from './notification-levels.ts'

/** What a user keeps about a room at first, besides the read mark. */
export const NEW_STATE = {
  level: DEFAULT_LEVEL,
  pushed_at: null,
  starred: 0,
  left_at: null,
  hidden_seq: null,
} satisfies Partial<RoomUserStateRow>

/**
 * Condition that the user of a row of `room_user_states` follows the room without a membership. Who
 * left it by choice does so only with a star.
 */
export const isFollowing = sql<SqlBool>`(room_user_states.left_at is null or room_user_states.starred = 1)`
