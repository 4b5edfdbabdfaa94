import { momentFormat } from '@latchkey/web/formats'
import { type Translate as TranslateAny, type Wording, useTexts } from '@latchkey/web/texts'
import type { SharedTextKey } from '@latchkey/web/shared-texts'
import { instance } from '../instance.ts'
import { type OwnKey, texts } from './index.ts'

export type TextKey = OwnKey | SharedTextKey
export type Translate = TranslateAny<TextKey>

export const wording: Wording = {
  texts,
  product: instance.product,
  failureKey: ({ code }) => (code !== undefined && isKey(`error.${code}`) ? `error.${code}` : undefined),
}

export function isKey(key: string): key is OwnKey {
  return Object.hasOwn(texts.en, key)
}

/** The key for one of the codes with which a login fails; what is none of ours is worded in general. */
export function loginErrorKey(code: string): TextKey {
  const key = `loginError.${code}`
  return isKey(key) ? key : 'loginError.unknown'
}

/** The key for how a session ended; undefined for what is none of ours. */
export function endedKey(reason: string): TextKey | undefined {
  const key = `login.ended.${reason}`
  return isKey(key) ? key : undefined
}

/** Texts, figures and moments in the person's language; the component follows a change of it. Moments are as the API tells them. */
export function useText() {
  const { day: _day, moment: _moment, ...rest } = useTexts<OwnKey>()
  const format = (options: Intl.DateTimeFormatOptions) => {
    return (at: string) => momentFormat(rest.language, options).format(new Date(at))
  }
  return {
    ...rest,
    day: format({ dateStyle: 'medium' }),
    time: format({ timeStyle: 'short' }),
    moment: format({ dateStyle: 'medium', timeStyle: 'short' }),
  }
}
