import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type { AccountKey } from './account.ts'
import type { AdminKey } from './admin.ts'
import type { CallKey } from './call.ts'
import type { DirectKey } from './directs.ts'
import type { GroupKey } from './groups.ts'
import type { LoginKey } from './login.ts'
import type { PeopleKey } from './people.ts'
import type { ShortcutKey } from './shortcuts.ts'
import type en from './en/index.ts'

/** Texts of the pages, loaded one language at a time. English defines the keys. */
export const texts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/index.ts`)

/** The keys of a part are on display only after `addTexts` with its texts. */
export type OwnKey =
  | TextKey<typeof en>
  | AccountKey
  | AdminKey
  | CallKey
  | DirectKey
  | GroupKey
  | LoginKey
  | PeopleKey
  | ShortcutKey
