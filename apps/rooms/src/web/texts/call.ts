import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/call.ts'

/** Texts of calls, loaded with them. */
export const callTexts = {
  en: () => import('./en/call.ts'),
  id: () => import('./id/call.ts'),
  sv: () => import('./sv/call.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type CallKey = TextKey<typeof en>
