import type { TextLoader } from '../texts.ts'
import type en from './en/shared.ts'

/** Texts of the package's own components. The texts of each app include them. */
export const sharedTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/shared.ts`)

/** Each app has its own `app.name`. */
export type SharedTextKey = keyof typeof en | 'app.name'
