import { type Language, LANGUAGES } from '@latchkey/web/languages'
import type en from './en.ts'

/** Reads the texts of each language from its file. Runs when the code is bundled. */
export async function readTexts(): Promise<Readonly<Record<Language, typeof en>>> {
  const modules = Object.keys(LANGUAGES).map(async (language) => [
    language,
    ((await import(`./${language}.ts`)) as { default: typeof en }).default,
  ])
  return Object.fromEntries(await Promise.all(modules)) as Record<Language, typeof en>
}
