import type { OwnKey } from '../../texts/index.ts'
import type { Translate } from '../../texts/text.ts'

/** Texts for the reasons that the server gives for rows. `[\w.]+` is the name of a column. */
const REASONS: readonly (readonly [pattern: RegExp, key: OwnKey])[] = [
  [/^slug "(?<slug>.+?)" is taken, it leads to (?<url>.+)$/s, 'transfer.reason.taken'],
  [/^slug "(?<slug>.+?)" leads to this URL already$/, 'transfer.reason.sameSlug'],
  [/^(?<owner>.+) has a link to this URL$/, 'transfer.reason.sameUrl'],
  [/^the file says it belongs to (?<named>.+), it belongs to .+$/, 'transfer.reason.owner'],
  [/^automatic slug "(?<slug>.+?)" is taken, the link has a fresh one$/, 'transfer.reason.autoTaken'],
  [/^the file has no column (?<missing>.+), only: (?<columns>.*)$/s, 'transfer.reason.columns'],
  [/^the file is empty:/, 'transfer.reason.empty'],
  [/^has (?<has>\d+) fields where the header has (?<needs>\d+)$/, 'transfer.reason.fields'],
  [/^the file has more than (?<max>\d+) columns$/, 'transfer.reason.manyColumns'],
  [/^has more than (?<max>\d+) slugs$/, 'transfer.reason.manySlugs'],
  [/^is nested more than \d+ levels deep$/, 'transfer.reason.deep'],
  [/^has more than \d+ (?:values|tags)$/, 'transfer.reason.tooMuch'],
  [/^is not a JSON object$/, 'transfer.reason.notJson'],
  [/^is not UTF-8 text$/, 'transfer.reason.notText'],
  [/^url must (?:be a valid URL|use http or https)$/, 'error.urlInvalid'],
  [/^url: (?:is required|must be a string)$/, 'transfer.reason.urlRequired'],
  [/^slug is required$/, 'transfer.reason.slugRequired'],
  [/^the link has a password/, 'transfer.reason.password'],
  [/^slug (?<slug>".*"): /s, 'transfer.reason.badSlug'],
  [/^(?<field>[\w.]+): must be at most (?<max>\d+) characters$/, 'transfer.reason.long'],
  [/^(?<field>[\w.]+): must be (?:a time|Unix seconds)/, 'transfer.reason.time'],
  [
    /^(?<field>[\w.]+): must (?:be well-formed Unicode|not contain control characters|be an identity)/,
    'transfer.reason.control',
  ],
  [/^(?<field>[\w.]+): /, 'transfer.reason.wrong'],
  [/^the record is too long|^is longer than 2 MiB/, 'transfer.reason.tooLong'],
  [/^a quote opens here/, 'transfer.reason.quote'],
  [/^the JSON breaks off here$/, 'transfer.reason.breaksOff'],
  [/^the file has no entries/, 'transfer.reason.noEntries'],
  [/^the file is not UTF-8 text/, 'transfer.reason.fileNotText'],
]

/** Properties of a link in other programs that this service does not support. */
const OMISSIONS: Readonly<Record<string, OwnKey>> = {
  'the start of its validity': 'transfer.reason.omitted.start',
  'its limit of visits': 'transfer.reason.omitted.visits',
  'its target for iOS': 'transfer.reason.omitted.ios',
  'its target for Android': 'transfer.reason.omitted.android',
  'its targets by country': 'transfer.reason.omitted.country',
  'its target after expiry': 'transfer.reason.omitted.expiry',
  'the query behind the short link': 'transfer.reason.omitted.query',
}

function omissionText(t: Translate, omission: string): string {
  const names = omission.split(', ').map((name) => (OMISSIONS[name] ? t(OMISSIONS[name]) : name))
  return t('transfer.reason.omitted', { what: names.join(', ') })
}

export function reasonText(t: Translate, reason: string): string {
  for (const [pattern, key] of REASONS) {
    const match = pattern.exec(reason)
    if (match) return t(key, match.groups)
  }
  const omission = /^not taken over: ([^;]+)$/.exec(reason)?.[1]
  if (omission !== undefined) return omissionText(t, omission)
  // An imported row may have two reasons.
  const [first, ...rest] = reason.split('; ')
  if (first === undefined || rest.length === 0) return reason
  return [first, ...rest].map((part) => (part === reason ? part : reasonText(t, part))).join('; ')
}
