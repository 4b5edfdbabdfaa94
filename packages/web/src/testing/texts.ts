import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { LANGUAGES, type Language, isLanguage } from '../languages.ts'
import shared from '../texts/en/shared.ts'
import type { TextLoader } from '../texts.ts'

type Texts = Readonly<Record<string, string>>

const placeholders = (text: string | undefined) => (text?.match(/{{\w+}}/g) ?? []).toSorted()

/** Loads the texts of every language. */
export async function loadTexts<T>(load: TextLoader<T>) {
  const languages = Object.keys(LANGUAGES).filter(isLanguage)
  const loaded = await Promise.all(
    languages.map(async (language) => [language, (await load(language)).default] as const),
  )
  return Object.fromEntries(loaded) as Record<Language, T>
}

/**
 * Tests the texts of a client. With `folder`, the folder of its sources with the texts in its
 * subfolder `texts/`, each text must be shown there.
 */
export function testTexts(languages: Readonly<Record<string, Texts>> & { en: Texts }, folder?: string): void {
  const { en } = languages
  const keys = Object.keys(en)

  test('every language has the texts of English and no others', () => {
    for (const [language, texts] of Object.entries(languages)) {
      expect([language, Object.keys(texts).toSorted()]).toEqual([language, keys.toSorted()])
      const blank = Object.entries(texts).filter(([, text]) => text.trim() === '')
      expect([language, blank]).toEqual([language, []])
    }
  })

  test('a text has the same placeholders in every language', () => {
    for (const key of keys)
      for (const [language, texts] of Object.entries(languages))
        expect([language, key, placeholders(texts[key])]).toEqual([language, key, placeholders(en[key])])
  })

  test('every plural has both forms, and no text without plural has the same key', () => {
    const plurals = keys.filter((key) => /_(one|other)$/.test(key))
    for (const key of plurals) {
      const base = key.replace(/_(one|other)$/, '')
      expect([
        base,
        keys.includes(`${base}_one`),
        keys.includes(`${base}_other`),
        keys.includes(base),
      ]).toEqual([base, true, true, false])
    }
  })

  test('texts have no surrounding spaces, straight quotes or three dots', () => {
    for (const [language, texts] of Object.entries(languages))
      for (const [key, text] of Object.entries(texts))
        expect([language, key, /^\s|\s$|\.\.\.|"|'/.test(text)]).toEqual([language, key, false])
  })

  if (folder === undefined) return
  test('every text is used', async () => {
    const sources = await Promise.all(
      [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)]
        .filter((name) => !name.startsWith('texts/') || name === 'texts/text.ts')
        .map((name) => Bun.file(join(folder, name)).text()),
    )
    const code = sources.join('\n')
    const named = new Set([...code.matchAll(/'([\w.-]+)'/g)].map(([, key]) => key))
    // `links.${state}` may be any text with this beginning and end.
    const patterns = [...code.matchAll(/`([\w-]+(?:\.[\w-]*)*\.[\w-]*)\$\{[^`}]*\}([\w.-]*)`/g)].map(
      ([, before, after]) => [before ?? '', after ?? ''] as const,
    )
    const unused = keys
      // Shown by the frame around the pages.
      .filter((key) => key !== 'app.name' && !Object.hasOwn(shared, key))
      .map((key) => key.replace(/_(one|other)$/, ''))
      .filter((key) => !named.has(key))
      .filter((key) => !patterns.some(([before, after]) => key.startsWith(before) && key.endsWith(after)))
    expect([...new Set(unused)]).toEqual([])
  })
}
