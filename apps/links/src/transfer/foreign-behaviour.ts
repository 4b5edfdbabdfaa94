import { z } from 'zod'
import { MAX_PROGRAM, compile } from '../links/behaviour/compile.ts'
import { type BehaviourDocument, NewBehaviour } from '../links/behaviour/schema.ts'
import type { Cells } from './csv.ts'
import { parseMoment } from './moment.ts'
import type { ForeignFeature } from './reason.ts'

/** A feature of a link in another program, as a part of a behaviour. */
export interface ForeignPart {
  feature: ForeignFeature
  /** Unchecked; undefined if Links has nothing like it. */
  part: Readonly<Record<string, unknown>> | undefined
}

/** The behaviour of these parts (L26.7), and the features that cannot be a part of one. */
export function mapBehaviour(parts: readonly ForeignPart[]): {
  behaviour: BehaviourDocument
  dropped: ForeignFeature[]
} {
  let behaviour: BehaviourDocument = {}
  const dropped = new Set<ForeignFeature>()
  for (const { feature, part } of parts) {
    const extended = part && extend(behaviour, part)
    if (extended) behaviour = extended
    else dropped.add(feature)
  }
  return { behaviour, dropped: [...dropped] }
}

/** Returns the behaviour with the part; undefined if that is not valid. */
export function extend(
  behaviour: BehaviourDocument,
  { rules = [], ...fields }: Readonly<Record<string, unknown>>,
): BehaviourDocument | undefined {
  const merged = [...(behaviour.rules ?? []), ...(rules as unknown[])]
  const parsed = NewBehaviour.safeParse({
    ...behaviour,
    ...fields,
    ...(merged.length > 0 && { rules: merged }),
  })
  if (!parsed.success) return undefined
  const { password: _, ...document } = parsed.data
  return Buffer.byteLength(compile(document, false) ?? '') <= MAX_PROGRAM ? document : undefined
}

const isBlank = (cell: string | undefined) => cell === undefined || cell.trim() === '' || cell === 'null'

/** A rule for the visitors of one system; nothing for a blank cell. */
export function systemRule(feature: 'ios' | 'android', cell: string | undefined): ForeignPart[] {
  return isBlank(cell) ? [] : [{ feature, part: { rules: [{ when: { os: [feature] }, to: cell }] } }]
}

/** A rule for each destination of an object from countries to destinations. */
export function countryRules(cell: string | undefined): ForeignPart[] {
  if (isBlank(cell)) return []
  const targets = parseObject(cell)
  if (!targets) return [{ feature: 'geo', part: undefined }]
  const countries = Map.groupBy(Object.entries(targets), ([, to]) => to)
  const rules = [...countries].map(([to, entries]) => ({
    when: { country: entries.map(([country]) => country) },
    to,
  }))
  return rules.length === 0 ? [] : [{ feature: 'geo', part: { rules } }]
}

/** The answer of Short.io about the targets of a link by country. */
export function countryListRules(cell: string | undefined): ForeignPart[] {
  const list = isBlank(cell) ? [] : parseObjects(cell)
  if (!list) return [{ feature: 'geo', part: undefined }]
  const targets = list.map(({ country, originalURL }) => [country, originalURL] as const)
  return countryRules(JSON.stringify(Object.fromEntries(targets)))
}

/** Links knows no regions of countries. */
export function regionPart(cell: string | undefined): ForeignPart[] {
  return isBlank(cell) ? [] : [{ feature: 'region', part: undefined }]
}

/** Other programs can show the destination under the address of the short URL. */
export function cloakingPart(isCloaked: boolean): ForeignPart[] {
  return isCloaked ? [{ feature: 'cloaking', part: undefined }] : []
}

/** A test of Dub leads visitors to several destinations until it ends; then the URL is the winner. */
export function testSplit(
  variants: string | undefined,
  completedAt: string | undefined,
  now: number,
): ForeignPart[] {
  if (isBlank(variants) || isBlank(completedAt)) return []
  const ends = parseMoment(completedAt ?? '')
  if (ends !== undefined && ends <= now) return []
  const list = parseObjects(variants)
  if (!list || ends === undefined) return [{ feature: 'split', part: undefined }]
  const split = list.map(({ url, percentage }) => ({ url, weight: percentage }))
  return [{ feature: 'split', part: { rules: [{ when: { before: ends }, to: { split } }] } }]
}

export function textPart(feature: ForeignFeature, field: string, cell: string | undefined): ForeignPart[] {
  return isBlank(cell) ? [] : [{ feature, part: { [field]: cell } }]
}

/** How many more visits a limit leaves: undefined without a limit, NaN with one that is not valid. */
export function visitsLeft(cell: string | undefined, visits: number | undefined): number | undefined {
  const max = isBlank(cell) ? 0 : Number(cell)
  if (max <= 0) return undefined
  return Number.isSafeInteger(max) ? max - (visits || 0) : Number.NaN
}

export function limitPart(left: number | undefined): ForeignPart[] {
  return left === undefined || left <= 0 ? [] : [{ feature: 'max_visits', part: { max_clicks: left } }]
}

/** Half of the visitors, or another share, get a second destination. */
export function splitPart(
  url: unknown,
  cell: string | undefined,
  percent: string | undefined,
): ForeignPart[] {
  if (isBlank(cell)) return []
  const share = isBlank(percent) ? 50 : Number(percent)
  const split = [
    { url, weight: 100 - share },
    { url: cell, weight: share },
  ]
  return [{ feature: 'split', part: { split, sticky: 'visit' } }]
}

/** A start in the past says nothing. */
export function startPart(cell: string | undefined): ForeignPart[] {
  return isBlank(cell)
    ? []
    : [{ feature: 'valid_since', part: { starts_at: parseMoment(cell ?? '') ?? cell } }]
}

/** The redirect rules of Shlink, with their conditions; only some files have them. */
export function shlinkRules(cells: Cells): ForeignPart[] {
  const cell = cells('redirectRules')
  if (isBlank(cell))
    return /^(?:true|1)$/i.test(cells('hasRedirectRules') ?? '')
      ? [{ feature: 'rules', part: undefined }]
      : []
  const list = z.array(ShlinkRule).safeParse(parseJson(cell))
  if (!list.success) return [{ feature: 'rules', part: undefined }]
  const byPriority = list.data.toSorted((a, b) => a.priority - b.priority)
  return byPriority.map(({ longUrl, conditions }) => {
    const when = conditions && whenOf(conditions)
    return { feature: 'rules', part: when && { rules: [{ when, to: longUrl }] } }
  })
}

const MatchText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined)
const ShlinkCondition = z.object({ type: z.string(), matchKey: MatchText, matchValue: MatchText })
type ShlinkCondition = z.output<typeof ShlinkCondition>

const ShlinkRule = z.object({
  longUrl: z.unknown(),
  priority: z.coerce.number().catch(0),
  /** Undefined if one of them is not valid. */
  conditions: z.array(ShlinkCondition).optional().catch(undefined),
})

/** All conditions together; undefined if one of them, or two of a kind, cannot be kept. */
function whenOf(conditions: readonly ShlinkCondition[]): Record<string, unknown> | undefined {
  const when: Record<string, unknown> = {}
  for (const condition of conditions) {
    const test = testOf(condition)
    if (!test || test[0] in when) return undefined
    when[test[0]] = test[1]
  }
  return when
}

const SHLINK_DEVICES: Readonly<Record<string, readonly [name: 'os' | 'device', value: string]>> = {
  android: ['os', 'android'],
  ios: ['os', 'ios'],
  windows: ['os', 'windows'],
  macos: ['os', 'macos'],
  linux: ['os', 'linux'],
  chromeos: ['os', 'chromeos'],
  mobile: ['device', 'mobile'],
  desktop: ['device', 'desktop'],
}

function testOf({ type, matchKey, matchValue }: ShlinkCondition): readonly [string, unknown] | undefined {
  switch (type) {
    case 'device': {
      const device = SHLINK_DEVICES[matchValue ?? '']
      return device && [device[0], [device[1]]]
    }
    case 'language':
      return ['language', [matchValue?.replace(/-\*$/, '')]]
    case 'query-param':
      return ['query', [{ name: matchKey, is: matchValue }]]
    case 'any-value-query-param':
      return ['query', [{ name: matchKey }]]
    case 'valueless-query-param':
      return ['query', [{ name: matchKey, is: '' }]]
    case 'geolocation-country-code':
      return ['country', [matchValue]]
    case 'before-date':
      return ['before', parseMoment(matchValue ?? '')]
    case 'after-date':
      return ['after', parseMoment(matchValue ?? '')]
    default:
      return undefined
  }
}

const JsonObject = z.record(z.string(), z.unknown())

function parseObject(cell: string | undefined): Record<string, unknown> | undefined {
  return JsonObject.safeParse(parseJson(cell)).data
}

function parseObjects(cell: string | undefined): Record<string, unknown>[] | undefined {
  return z.array(JsonObject).safeParse(parseJson(cell)).data
}

function parseJson(cell: string | undefined): unknown {
  try {
    return JSON.parse(cell ?? 'null')
  } catch {
    return undefined
  }
}
