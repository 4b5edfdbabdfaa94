import { type TextKey as KeyOf, mergeAreas } from '@latchkey/web/texts'
import * as bundles from './areas/bundles.ts'
import * as dashboard from './areas/dashboard.ts'
import * as failures from './areas/failures.ts'
import * as figures from './areas/figures.ts'
import * as keys from './areas/keys.ts'
import * as link from './areas/link.ts'
import * as links from './areas/links.ts'
import * as settings from './areas/settings.ts'
import * as shell from './areas/shell.ts'
import * as transfer from './areas/transfer.ts'

/** Every string of the pages. Flat keys; plural forms end in `_one` and `_other`. */
export const texts = mergeAreas([
  bundles,
  dashboard,
  failures,
  figures,
  keys,
  link,
  links,
  settings,
  shell,
  transfer,
])

export type OwnKey = KeyOf<typeof texts.en>
