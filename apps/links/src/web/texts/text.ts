import { numberFormat } from '@latchkey/web/formats'
import { type Say as SayAny, type Wording, useTexts } from '@latchkey/web/texts'
import type { WordKey } from '@latchkey/web/words'
import { type TextKey as OwnKey, en } from './en.ts'
import { id } from './id.ts'
import { sv } from './sv.ts'

export type TextKey = OwnKey | WordKey

const FAILURES: Readonly<Record<string, TextKey>> = {
  'Slug already exists': 'error.slugTaken',
  'url must be a valid URL': 'error.urlInvalid',
  'url must use http or https': 'error.urlInvalid',
  'url: must be at most 2048 characters': 'settings.rootLong',
  'Title is required': 'keys.titleRequired',
  'title: must be at most 120 characters': 'keys.titleLong',
  'Key not found': 'keys.gone',
  'root_redirect_url must be a valid http or https URL': 'settings.rootBad',
  'root_redirect_url: must be at most 2048 characters': 'settings.rootLong',
  'slug_default_length: must be at least 3': 'settings.slugLengthBad',
  'slug_default_length: must be at most 128': 'settings.slugLengthBad',
  'slug_default_length: must be an integer': 'settings.slugLengthBad',
  'the import was cut off': 'transfer.lost',
  'Request body too large': 'transfer.tooLarge',
  'request: the upload broke off; nothing was changed': 'transfer.brokeOff',
  'name is required': 'bundles.nameRequired',
  'name must not be blank': 'bundles.nameRequired',
  'name must be 120 characters or fewer': 'bundles.nameLong',
  'description: must be at most 2000 characters': 'bundles.descriptionLong',
  'icon: must be at most 64 characters': 'bundles.iconLong',
}

export const wording: Wording = {
  texts: { en, sv, id },
  failureKey: ({ message }) => FAILURES[message],
}

export type Say = SayAny<TextKey>

/** Texts, figures and moments in the person's language; the component follows a change of it. */
export function useText() {
  const { day, moment, ...texts } = useTexts<TextKey>()
  const percents = (options: Intl.NumberFormatOptions) =>
    numberFormat(texts.language, { style: 'percent', ...options })
  return {
    ...texts,
    /** Unix seconds. */
    day: (seconds: number) => day(new Date(seconds * 1000)),
    moment: (seconds: number) => moment(new Date(seconds * 1000)),
    percent: (value: number) => percents({ signDisplay: 'exceptZero' }).format(value / 100),
    /** A part of a whole, 0 to 1; what is not nothing is never worded as 0 %. */
    share: (part: number) =>
      part > 0 && part < 0.005 ? `<${percents({}).format(0.01)}` : percents({}).format(part),
  }
}
