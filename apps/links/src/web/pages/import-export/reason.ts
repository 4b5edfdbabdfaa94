import type { OwnKey } from '../../texts/index.ts'
import type { Translate } from '../../texts/text.ts'

/** Texts for the reasons that the server gives for rows. `[\w.]+` is the name of a column. */
const REASONS: readonly (readonly [pattern: RegExp, key: OwnKey])[] = [
  [/^slug "(?<slug>.+?)" is taken, it leads to (?<url>.+)$/s, 'transfer.why.taken'],
  [/^slug "(?<slug>.+?)" leads to this URL already$/, 'transfer.why.sameSlug'],
  [/^(?<owner>.+) has a link to this URL$/, 'transfer.why.sameUrl'],
  [/^the file says it belongs to (?<named>.+), it belongs to .+$/, 'transfer.why.owner'],
  [/^automatic slug "(?<slug>.+?)" is taken, the link has a fresh one$/, 'transfer.why.autoTaken'],
  [/^the file has no column (?<missing>.+), only: (?<columns>.*)$/s, 'transfer.why.columns'],
  [/^the file is empty:/, 'transfer.why.empty'],
  [/^has (?<has>\d+) fields where the header has (?<needs>\d+)$/, 'transfer.why.fields'],
  [/^the file has more than (?<max>\d+) columns$/, 'transfer.why.manyColumns'],
  [/^has more than (?<max>\d+) slugs$/, 'transfer.why.manySlugs'],
  [/^is nested more than \d+ levels deep$/, 'transfer.why.deep'],
  [/^has more than \d+ (?:values|tags)$/, 'transfer.why.tooMuch'],
  [/^is not a JSON object$/, 'transfer.why.notJson'],
  [/^is not UTF-8 text$/, 'transfer.why.notText'],
  [/^url must (?:be a valid URL|use http or https)$/, 'error.urlInvalid'],
  [/^url: (?:is required|must be a string)$/, 'transfer.why.urlRequired'],
  [/^slug is required$/, 'transfer.why.slugRequired'],
  [/^the link has a password/, 'transfer.why.password'],
  [/^slug (?<slug>".*"): /s, 'transfer.why.badSlug'],
  [/^(?<field>[\w.]+): must be at most (?<max>\d+) characters$/, 'transfer.why.long'],
  [/^(?<field>[\w.]+): must be (?:a time|Unix seconds)/, 'transfer.why.time'],
  [
    /^(?<field>[\w.]+): must (?:be well-formed Unicode|not contain control characters|be an identity)/,
    'transfer.why.control',
  ],
  [/^(?<field>[\w.]+): /, 'transfer.why.wrong'],
  [/^the record is too long|^is longer than 2 MiB/, 'transfer.why.tooLong'],
  [/^a quote opens here/, 'transfer.why.quote'],
  [/^the JSON breaks off here$/, 'transfer.why.breaksOff'],
  [/^the file has no entries/, 'transfer.why.noEntries'],
  [/^the file is not UTF-8 text/, 'transfer.why.fileNotText'],
]

/** Properties of a link in other programs that this service does not support. */
const OMISSIONS: Readonly<Record<string, OwnKey>> = {
  'the start of its validity': 'transfer.why.lost.start',
  'its limit of visits': 'transfer.why.lost.visits',
  'its target for iOS': 'transfer.why.lost.ios',
  'its target for Android': 'transfer.why.lost.android',
  'its targets by country': 'transfer.why.lost.country',
  'its target after expiry': 'transfer.why.lost.expiry',
  'the query behind the short link': 'transfer.why.lost.query',
}

function omissionText(t: Translate, omission: string): string {
  const names = omission.split(', ').map((name) => (OMISSIONS[name] ? t(OMISSIONS[name]) : name))
  return t('transfer.why.lost', { what: names.join(', ') })
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
