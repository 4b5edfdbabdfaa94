import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/shortcuts.ts'

/** Texts of the list of shortcuts, loaded with it. */
export const shortcutTexts = {
  en: () => import('./en/shortcuts.ts'),
  id: () => import('./id/shortcuts.ts'),
  sv: () => import('./sv/shortcuts.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type ShortcutKey = TextKey<typeof en>
