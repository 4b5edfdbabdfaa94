import type { Migration } from '@latchkey/database/migrate'
import { identity } from './migrations/0001-identity.ts'
import { rooms } from './migrations/0002-rooms.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-identity': identity,
  '0002-rooms': rooms,
}
