import type { TextKey } from '../../texts/en.ts'
import type { Say } from '../../texts/text.ts'

/** What the server gives as the reason of a row, and how it is worded here; the rest stays in the server's words. */
const REASONS: readonly (readonly [pattern: RegExp, key: TextKey])[] = [
  [/^slug "(?<slug>.+?)" is taken, it leads to (?<url>.+)$/s, 'transfer.why.taken'],
  [/^slug "(?<slug>.+?)" leads to this URL already$/, 'transfer.why.sameSlug'],
  [/^(?<owner>.+) has a link to this URL$/, 'transfer.why.sameUrl'],
  [/^the file says it belongs to (?<named>.+), it belongs to .+$/, 'transfer.why.owner'],
  [/^automatic slug "(?<slug>.+?)" is taken, the link has a fresh one$/, 'transfer.why.autoTaken'],
  [/^the file has no column (?<missing>.+), only: (?<columns>.*)$/s, 'transfer.why.columns'],
  [/^the file is empty:/, 'transfer.why.empty'],
  [/^has (?<has>\d+) fields where the header has (?<needs>\d+)$/, 'transfer.why.fields'],
  [/^is not a JSON object$/, 'transfer.why.notJson'],
  [/^is not UTF-8 text$/, 'transfer.why.notText'],
  [/^url must (?:be a valid URL|use http or https)$/, 'error.urlInvalid'],
  [/^url: (?:is required|must be a string)$/, 'transfer.why.urlRequired'],
  [/^slug is required$/, 'transfer.why.slugRequired'],
  [/^the link has a password/, 'transfer.why.password'],
  [/^slug (?<slug>".*"): /s, 'transfer.why.badSlug'],
  [/^(?<field>\w+): must be at most (?<most>\d+) characters$/, 'transfer.why.long'],
  [/^(?<field>\w+): must be (?:a time|Unix seconds)/, 'transfer.why.time'],
]

export function reasonText(say: Say, reason: string): string {
  for (const [pattern, key] of REASONS) {
    const match = pattern.exec(reason)
    if (match) return say(key, match.groups)
  }
  // An imported row may have two remarks.
  const [first, ...rest] = reason.split('; ')
  if (first === undefined || rest.length === 0) return reason
  return [first, ...rest].map((each) => (each === reason ? each : reasonText(say, each))).join('; ')
}
