import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/people.ts'

/** Texts of people, their cards and statuses, loaded with them. */
export const peopleTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/people.ts`)

export type PeopleKey = TextKey<typeof en>
