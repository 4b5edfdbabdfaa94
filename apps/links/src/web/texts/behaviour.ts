import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/behaviour.ts'

/** Texts about the behaviour of links, loaded with the parts that show them. */
export const behaviourTexts = {
  en: () => import('./en/behaviour.ts'),
  id: () => import('./id/behaviour.ts'),
  sv: () => import('./sv/behaviour.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type BehaviourKey = TextKey<typeof en>
