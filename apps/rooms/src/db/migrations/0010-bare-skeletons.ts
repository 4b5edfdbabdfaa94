import type { Migration } from '@latchkey/database/migrate'
import { storeSkeletons } from './0008-skeletons.ts'

/** Names look the same whatever punctuation, symbols and blanks are in them. */
export const bareSkeletons: Migration = async (tx) => storeSkeletons(tx)
