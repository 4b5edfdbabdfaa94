import type { Language, TextKey } from '@latchkey/web/texts'
import en from './en/index.ts'
import id from './id/index.ts'
import sv from './sv/index.ts'

/** Texts of the pages. English defines the keys. */
export const texts = { en, id, sv } satisfies Record<Language, Record<keyof typeof en, string>>

export type OwnKey = TextKey<typeof en>
