import type { TextKey, TextLoaders } from '@latchkey/web/texts'
import type { CallKey } from './call.ts'
import type en from './en/index.ts'

/** Texts of the pages, loaded one language at a time. English defines the keys. */
export const texts = {
  en: () => import('./en/index.ts'),
  id: () => import('./id/index.ts'),
  sv: () => import('./sv/index.ts'),
} satisfies TextLoaders<Record<keyof typeof en, string>>

/** Those about calls are on display only after `addTexts(callTexts)`. */
export type OwnKey = TextKey<typeof en> | CallKey
