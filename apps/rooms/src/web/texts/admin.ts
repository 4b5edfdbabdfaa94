import type { PartLoaders, TextKey } from '@latchkey/web/texts'
import type en from './en/admin.ts'

/** Texts of the administration page, loaded with it. */
export const adminTexts = {
  en: () => import('./en/admin.ts'),
  id: () => import('./id/admin.ts'),
  sv: () => import('./sv/admin.ts'),
} satisfies PartLoaders<Record<keyof typeof en, string>>

export type AdminKey = TextKey<typeof en>
