import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/plans.ts'

/** Texts about plans, loaded with the parts that show them. */
export const planTexts = {
  en: () => import('./en/plans.ts'),
  id: () => import('./id/plans.ts'),
  sv: () => import('./sv/plans.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type PlanKey = TextKey<typeof en>
