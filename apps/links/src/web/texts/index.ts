import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type { BehaviourKey } from './behaviour.ts'
import type en from './en/index.ts'
import type { HabitKey } from './habits.ts'
import type { PlanKey } from './plans.ts'
import type { QrKey } from './qr.ts'
import type { WebhookKey } from './webhooks.ts'

/** Texts of the pages, loaded one language at a time. English defines the keys. */
export const texts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/index.ts`)

/** Keys of texts; `addTexts` has to load the ones about behaviour, habits, plans, QR codes and webhooks first. */
export type OwnKey = TextKey<typeof en> | BehaviourKey | HabitKey | PlanKey | QrKey | WebhookKey
