import type en from './en.ts'
import { readTexts } from './read-texts.ts' with { type: 'macro' }

/** Texts of the pages that the server renders itself, by language. */
export const serverTexts = await readTexts()

export type PageTexts = (typeof en)['pages']
export type PrivacyTexts = (typeof en)['privacy']
export type SharedStatsTexts = (typeof en)['sharedStats']
