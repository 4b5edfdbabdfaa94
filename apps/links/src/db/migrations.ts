import type { Migration } from '@latchkey/database/migrate'
import { initial } from './migrations/0001-initial.ts'

export const migrations: Readonly<Record<string, Migration>> = { '0001-initial': initial }
