import type { TextKey, TextLoader } from '@latchkey/web/texts'
import type en from './en/webhooks.ts'

/** Texts about webhooks, loaded with the parts that show them. */
export const webhookTexts: TextLoader<Record<keyof typeof en, string>> = (language) =>
  import(`./${language}/webhooks.ts`)

export type WebhookKey = TextKey<typeof en>
