import type { TextKey, TextLoader } from '@latchkey/web/texts'
import en from './en/habits.ts'
import id from './id/habits.ts'
import sv from './sv/habits.ts'

const all = { en, id, sv }

/**
 * Texts about defaults and templates. They are a part of the scripts that show them, which their
 * pages name in their HTML, and not of those of every page.
 */
export const habitTexts: TextLoader<Record<keyof typeof en, string>> = async (language) => ({
  default: all[language],
})

export type HabitKey = TextKey<typeof en>
