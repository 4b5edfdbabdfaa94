import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/groups.ts'

/** Texts of the groups of a room, loaded with the drawer in which it is managed. */
export const groupTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/groups.ts`)

export type GroupKey = TextKey<typeof en>
