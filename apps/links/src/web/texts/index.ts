import type { TextKey, TextLoaders } from '@latchkey/web/texts'
import type { BehaviourKey } from './behaviour.ts'
import type en from './en/index.ts'

/** Texts of the pages, loaded one language at a time. English defines the keys. */
export const texts = {
  en: () => import('./en/index.ts'),
  id: () => import('./id/index.ts'),
  sv: () => import('./sv/index.ts'),
} satisfies TextLoaders<Record<keyof typeof en, string>>

/** Those about behaviour are on display only after `addTexts(behaviourTexts)`. */
export type OwnKey = TextKey<typeof en> | BehaviourKey
