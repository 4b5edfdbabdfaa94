import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/webhooks.ts'

/** Texts about webhooks, loaded with the parts that show them. */
export const webhookTexts = {
  en: () => import('./en/webhooks.ts'),
  id: () => import('./id/webhooks.ts'),
  sv: () => import('./sv/webhooks.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type WebhookKey = TextKey<typeof en>
