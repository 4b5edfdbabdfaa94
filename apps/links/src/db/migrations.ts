import type { Migration } from '@latchkey/database/migrate'
import { schema } from './migrations/0001-schema.ts'

export const migrations: Readonly<Record<string, Migration>> = { '0001-schema': schema }
