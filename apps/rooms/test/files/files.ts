import { readdirSync } from 'node:fs'
import type { FileRow } from '../../src/db/message-rows.ts'
import type { TestRooms } from '../rooms.ts'

/** The paths of all files in the storage of an instance, complete or not. */
export function filesIn({ filesFolder }: Pick<TestRooms, 'filesFolder'>): string[] {
  const entries = readdirSync(filesFolder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(filesFolder.length + 1))
    .toSorted()
}

/** The rows of the files of a room, oldest first. */
export function storedFiles(test: TestRooms, roomId: string): Promise<FileRow[]> {
  return test.rooms.database.read
    .selectFrom('files')
    .selectAll()
    .where('room_id', '=', roomId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
