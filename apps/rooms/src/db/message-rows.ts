import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

/** Document of a message with a text, by which it is searched. */
export interface MessageSearchRow {
  /** Later messages have higher numbers. */
  no: Generated<number>
  room_id: string
  seq: number
  created_at: number
  /** Words and tags as `searchDocument` returns them. */
  doc: string
}

export interface FileContentRow {
  sha256: string
  /** Recognised by its bytes. */
  type: string
  width: number | null
  height: number | null
  /** Null if it is no image. */
  thumbnail_bytes: number | null
  /** Start of the time in which an upload may still refer to it. */
  claimed_at: number
  /** Whether a file of it was deleted or is still missing. */
  may_be_unused: Flag
  /** When its deletion from the storage began. */
  deleting_at: number | null
}

export interface FileRow {
  id: string
  room_id: string
  user_id: string
  /** Null until a message has the file. */
  message_id: string | null
  position: number | null
  sha256: string
  name: string
  bytes: number
  created_at: number
}

export interface FileTables {
  file_contents: FileContentRow
  files: FileRow
}
