import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/shortcuts.ts'

/** Texts of the list of shortcuts, loaded with it. */
export const shortcutTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/shortcuts.ts`)

export type ShortcutKey = TextKey<typeof en>
