import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/plans.ts'

/** Texts about plans, loaded with the parts that show them. */
export const planTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/plans.ts`)

export type PlanKey = TextKey<typeof en>
