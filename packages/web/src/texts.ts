import { useSyncExternalStore } from 'react'
import { CallError } from './call.ts'
import { momentFormat, numberFormat } from './formats.ts'
import { type Language, firstLanguage, isLanguage } from './languages.ts'
import type { SharedTextKey } from './texts/shared.ts'

/** Flat keys. Plural forms end in `_one` and `_other`. `app.name` is the name of the app. */
export type Texts = Readonly<Record<string, string>> & { readonly 'app.name': string }

/** The keys of the texts of `T`. Plural forms share one key. */
export type TextKey<T> = keyof T extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key
  : never

/**
 * Loads the texts of a part of an app in a language: `(language) => import(`./${language}/call.ts`)`
 * (language-imports.ts).
 */
export type TextLoader<T = Readonly<Record<string, string>>> = (
  language: Language,
) => Promise<{ readonly default: T }>

export interface Wording {
  /** All texts of the app, including the shared ones. */
  texts: TextLoader<Texts>
  /** The operator's name for the instance. It replaces `app.name` in every language. */
  product?: string | undefined
  /** Returns the key of the text for a refusal. Without one, the server's own text is onDisplay. */
  failureKey: (error: CallError) => string | undefined
}

/** The texts on display. Replaced as a whole, which makes React render them again. */
interface Display {
  language: Language
  texts: Readonly<Record<string, string>>
  plurals: Intl.PluralRules
}

let display: Display = { language: 'en', texts: {}, plurals: new Intl.PluralRules('en') }
let wording: Pick<Wording, 'failureKey'> & Partial<Wording> = { failureKey: () => undefined }
/** The language that was requested last. Another may still be loading. */
let requested: Language = 'en'
const listeners = new Set<() => void>()
const further = new Set<TextLoader>()
/** Loaders whose texts are on display. */
let onDisplay: ReadonlySet<TextLoader> = new Set()
/** The last request of texts. */
let showing: Promise<void> = Promise.resolve()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function showLanguage(language: Language): Promise<void> {
  requested = language
  const loaders = [...(wording.texts ? [wording.texts] : []), ...further]
  const own = loadTexts(language, loaders, () => own === showing)
  showing = own
  return own
}

async function loadTexts(
  language: Language,
  loaders: readonly TextLoader[],
  isLast: () => boolean,
): Promise<void> {
  const loaded = await Promise.all(loaders.map((load) => load(language)))
  // The last request shows the texts of this one, too.
  if (!isLast()) return showing
  if (loaded.length === 0) return undefined
  onDisplay = new Set(loaders)
  const texts = wording.product === undefined ? {} : { 'app.name': wording.product }
  display = {
    language,
    texts: Object.assign({}, ...loaded.map((module) => module.default), texts) as Display['texts'],
    plurals: new Intl.PluralRules(language),
  }
  document.documentElement.lang = language
  for (const listener of listeners) listener()
  return undefined
}

/** Loads the texts in the language of the page, which the server chose for the person (serve.ts). */
export function startTexts(appWording: Wording): Promise<void> {
  wording = appWording
  const { lang } = document.documentElement
  return showLanguage(isLanguage(lang) ? lang : firstLanguage(navigator.languages))
}

/**
 * Loads texts that only a part of the app needs, and shows them from then on. Await it before that
 * part is rendered, such as in `lazy`.
 */
export function addTexts(loaders: TextLoader): Promise<void> {
  if (onDisplay.has(loaders)) return Promise.resolve()
  further.add(loaders)
  return showLanguage(requested)
}

/**
 * Changes the language. Null follows the browser. If the texts cannot be loaded, the language stays
 * until the next page.
 */
export async function changeLanguage(language: Language | null): Promise<void> {
  await showLanguage(language ?? firstLanguage(navigator.languages)).catch(() => {})
}

/** True if the texts on display have this key. Plural forms are separate keys. */
export const hasText = (key: string): boolean => Object.hasOwn(display.texts, key)

/**
 * Returns the text of a key. Numbers are formatted for the language, and `count` selects the plural
 * form.
 */
export type Translate<Key extends string = SharedTextKey> = (
  key: Key,
  values?: Record<string, string | number>,
) => string

/** Returns the key itself if there is no such text. */
function translate(
  { language, texts, plurals }: Display,
  key: string,
  values: Parameters<Translate>[1] = {},
) {
  const { count } = values
  const plural = typeof count === 'number' ? texts[`${key}_${plurals.select(count)}`] : undefined
  const text = plural ?? texts[key] ?? key
  return text.replace(/{{(\w+)}}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? numberFormat(language).format(value) : value
  })
}

/**
 * Texts, numbers and times in the person's language. The component re-renders when the language
 * changes. An app binds its own keys once: `export const useText = () => useTexts<OwnKey>()`.
 */
export function useTexts<Key extends string = SharedTextKey>() {
  const current = useSyncExternalStore(subscribe, () => display)
  const { language } = current
  const number = numberFormat(language)
  const t: Translate<Key | SharedTextKey> = (key, values) => translate(current, key, values)
  return {
    t,
    language,
    number: (value: number) => number.format(value),
    day: (at: Date) => momentFormat(language, { dateStyle: 'medium' }).format(at),
    moment: (at: Date) => momentFormat(language, { dateStyle: 'full', timeStyle: 'short' }).format(at),
    /** The text of an error: translated if it is known, else the server's own text. */
    failure: (error: unknown) => {
      if (!(error instanceof CallError)) return translate(current, 'page.error')
      if (error.status === 401) return translate(current, 'shell.stale')
      if (error.code === 'offline') return translate(current, 'error.offline')
      const key = wording.failureKey(error)
      return key === undefined ? error.message || translate(current, 'page.error') : translate(current, key)
    },
  }
}
