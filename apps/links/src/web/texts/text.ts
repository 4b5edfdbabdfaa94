import type { CallError } from '@latchkey/web/call'
import { numberFormat } from '@latchkey/web/formats'
import { type Translate as TranslateAny, type Wording, useTexts } from '@latchkey/web/texts'
import type { SharedTextKey } from '@latchkey/web/shared-texts'
import { type OwnKey, texts } from './index.ts'

export type TextKey = OwnKey | SharedTextKey

/** Keys of the texts for messages of the server. */
const FAILURE_TEXTS: Readonly<Record<string, TextKey>> = {
  'Link not found': 'error.linkGone',
  'Slug not found': 'error.slugGone',
  'Slug not found on this link': 'error.slugGone',
  'Bundle not found': 'error.bundleGone',
  'Key not found': 'keys.gone',
  'url must be a valid URL': 'error.urlInvalid',
  'url must use http or https': 'error.urlInvalid',
  'url: must be at most 2048 characters': 'settings.rootLong',
  'label: must be at most 500 characters': 'error.labelLong',
  'search: must be at most 256 characters': 'error.searchLong',
  'slug is required': 'error.slugEmpty',
  'Custom slug must not be empty': 'error.slugEmpty',
  'Slug must not start with underscore': 'error.slugSymbols',
  'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -':
    'error.slugSymbols',
  'Slug must be 128 characters or fewer': 'error.slugLong',
  'Slug is reserved': 'error.slugReserved',
  'Slug already exists': 'error.slugTaken',
  'A link has at most 5000 slugs': 'error.slugsMany',
  'You can add at most 50 slugs to a link of another person': 'error.guestSlugsMany',
  'You have as many API keys as you can have; revoke one first': 'keys.many',
  'Cannot delete a link with clicks, disable it instead': 'link.notDeleted',
  'Cannot remove a slug with clicks, disable it instead': 'error.slugHasClicks',
  'Cannot make a disabled slug primary, enable it first': 'error.disabledPrimary',
  'Cannot disable the system-generated slug; only custom slugs can be disabled. Disable the whole link instead.':
    'error.automaticDisable',
  'Cannot remove the system-generated slug; only custom slugs can be removed. Delete the whole link instead.':
    'error.automaticRemove',
  'level: does not fit an address of this length': 'error.qrLevel',
  'Title is required': 'keys.titleRequired',
  'title: must be at most 120 characters': 'keys.titleLong',
  'root_redirect_url must be a valid http or https URL': 'settings.rootBad',
  'root_redirect_url: must be at most 2048 characters': 'settings.rootLong',
  'slug_default_length: must be at least 3': 'settings.slugLengthBad',
  'slug_default_length: must be at most 128': 'settings.slugLengthBad',
  'slug_default_length: must be an integer': 'settings.slugLengthBad',
  'the import was cut off': 'transfer.lost',
  'request: the upload broke off; nothing was changed': 'transfer.brokeOff',
  'The import stopped before its end': 'error.unavailable',
  'You have an import running; wait until it ends': 'transfer.own',
  'This server runs as many imports as it can; try again later': 'transfer.full',
  'name is required': 'bundles.nameRequired',
  'name must not be blank': 'bundles.nameRequired',
  'name must be 120 characters or fewer': 'bundles.nameLong',
  'description: must be at most 2000 characters': 'bundles.descriptionLong',
  'icon: must be at most 64 characters': 'bundles.iconLong',
  'cursor: is not valid with these parameters': 'error.listMoved',
  'The database cannot be used any more; some of the clicks are deleted. Try again later to delete the rest.':
    'error.deletionStopped',
}

/** Keys of the texts for messages that contain a value or share a text. */
const FAILURE_PATTERNS: readonly (readonly [pattern: RegExp, key: TextKey])[] = [
  [/^Only the link owner can /, 'error.notOwner'],
  [/^Only the bundle owner can /, 'error.notBundleOwner'],
  [/^expires_at: /, 'error.expiry'],
  [/^\w+: must (?:be well-formed Unicode|not contain control characters)/, 'error.characters'],
  [/^The database cannot be used at the moment; nothing was /, 'error.storage'],
  // From an import. The page displays the number of stored links.
  [/^The database cannot be used any more; the \d+ links /, 'error.unavailable'],
  [/^(?:The service is stopping|The answer was not read); /, 'error.unavailable'],
]

const STATUS_TEXTS: Readonly<Record<number, TextKey>> = {
  403: 'error.forbidden',
  404: 'error.gone',
  413: 'error.tooLarge',
  429: 'error.tooMany',
  500: 'error.internal',
}

/**
 * Returns the key of the text for a refusal. Unknown messages get a text by their status. No page
 * displays the server's own message, which is English.
 */
function failureKey({ message, status }: CallError): TextKey {
  return (
    FAILURE_TEXTS[message] ??
    FAILURE_PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ??
    STATUS_TEXTS[status] ??
    (status > 500 ? 'error.unavailable' : 'error.refused')
  )
}

export const wording: Wording = {
  texts,
  failureKey,
}

export type Translate = TranslateAny<TextKey>

/**
 * Texts, numbers and times in the user's language. The component re-renders when the language
 * changes. Times are Unix seconds, as in the API.
 */
export function useText() {
  const { day, moment, ...rest } = useTexts<TextKey>()
  const formatPercent = (options: Intl.NumberFormatOptions) =>
    numberFormat(rest.language, { style: 'percent', ...options })
  return {
    ...rest,
    day: (seconds: number) => day(new Date(seconds * 1000)),
    moment: (seconds: number) => moment(new Date(seconds * 1000)),
    percent: (value: number) => formatPercent({ signDisplay: 'exceptZero' }).format(value / 100),
    /** Formats a fraction, 0 to 1, as a percentage. A positive fraction is never 0 %. */
    share: (part: number) =>
      part > 0 && part < 0.005 ? `<${formatPercent({}).format(0.01)}` : formatPercent({}).format(part),
  }
}
