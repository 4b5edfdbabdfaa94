import type { TextKey, TextLoaders } from '@latchkey/web/texts'
import type { AdminKey } from './admin.ts'
import type { CallKey } from './call.ts'
import type { ShortcutKey } from './shortcuts.ts'
import type en from './en/index.ts'

/** Texts of the pages, loaded one language at a time. English defines the keys. */
export const texts = {
  en: () => import('./en/index.ts'),
  id: () => import('./id/index.ts'),
  sv: () => import('./sv/index.ts'),
} satisfies TextLoaders<Record<keyof typeof en, string>>

/** The keys of a part are on display only after `addTexts` with its texts. */
export type OwnKey = TextKey<typeof en> | AdminKey | CallKey | ShortcutKey
