import { folderStorage } from './folder.ts'
import type { FileLocation } from './location.ts'
import { s3Storage } from './s3.ts'
import type { FileStorage } from './storage.ts'

/** Connects to nothing and creates nothing yet. */
export function openStorage(location: FileLocation): FileStorage {
  return 'folder' in location ? folderStorage(location.folder) : s3Storage(location)
}
