import type { Migration } from '@latchkey/database/migrate'
import { initial } from './migrations/0001-initial.ts'
import { changes } from './migrations/0002-changes.ts'
import { packedSums } from './migrations/0003-packed-sums.ts'
import { linkClicks } from './migrations/0004-link-clicks.ts'
import { linkCount } from './migrations/0005-link-count.ts'
import { linkDay } from './migrations/0006-link-day.ts'
import { valueKeys } from './migrations/0007-value-keys.ts'
import { clickIndex } from './migrations/0008-click-index.ts'
import { linkStates } from './migrations/0009-link-states.ts'
import { slugCounts } from './migrations/0010-slug-counts.ts'
import { sumsOfGoneClicks } from './migrations/0011-sums-of-gone-clicks.ts'
import { primarySlugIndex } from './migrations/0012-primary-slug-index.ts'
import { visitorSalts } from './migrations/0013-visitor-salts.ts'
import { slugAdders } from './migrations/0014-slug-adders.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-changes': changes,
  '0003-packed-sums': packedSums,
  '0004-link-clicks': linkClicks,
  '0005-link-count': linkCount,
  '0006-link-day': linkDay,
  '0007-value-keys': valueKeys,
  '0008-click-index': clickIndex,
  '0009-link-states': linkStates,
  '0010-slug-counts': slugCounts,
  '0011-sums-of-gone-clicks': sumsOfGoneClicks,
  '0012-primary-slug-index': primarySlugIndex,
  '0013-visitor-salts': visitorSalts,
  '0014-slug-adders': slugAdders,
}
