import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/behaviour.ts'

/** Texts about the behaviour of links, loaded with the parts that show them. */
export const behaviourTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/behaviour.ts`)

export type BehaviourKey = TextKey<typeof en>
