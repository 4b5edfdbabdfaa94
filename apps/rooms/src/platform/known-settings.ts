import { KNOWN_SETTINGS, listSettings } from '@latchkey/settings/known'
import { VERSION } from '../api/version.ts'
import type { Db, Tx } from '../db/tables.ts'
import { declarations } from '../settings/declarations.ts'
import { findState, saveState } from './store.ts'

/** Stores which settings this version knows, for the check of the next one. */
export async function saveKnownSettings(tx: Tx, nowMs: number): Promise<void> {
  await saveState(tx, KNOWN_SETTINGS, listSettings(declarations, VERSION), nowMs)
}

/** The settings of the version that started last; undefined for one that did not store them. */
export function findKnownSettings(db: Db): Promise<string | undefined> {
  return findState(db, KNOWN_SETTINGS)
}
