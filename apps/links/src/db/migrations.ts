import type { Migration } from '@latchkey/database/migrate'
import { initial } from './migrations/0001-initial.ts'
import { changes } from './migrations/0002-changes.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-changes': changes,
}
