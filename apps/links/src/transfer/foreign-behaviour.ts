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

function extend(
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

export function textPart(feature: ForeignFeature, field: string, cell: string | undefined): ForeignPart[] {
  return isBlank(cell) ? [] : [{ feature, part: { [field]: cell } }]
}

/** How many more visits a limit leaves; undefined without a limit. */
export function visitsLeft(cell: string | undefined, visits: number | undefined): number | undefined {
  const max = isBlank(cell) ? 0 : Number(cell)
  return Number.isSafeInteger(max) && max > 0 ? max - (visits ?? 0) : undefined
}

export function limitPart(left: number | undefined): ForeignPart[] {
  return left === undefined || left <= 0 ? [] : [{ feature: 'max_visits', part: { max_clicks: left } }]
}

/** Half of the visitors, or another share, are led to a second destination. */
export function splitPart(
  url: unknown,
  cell: string | undefined,
  percent: string | undefined,
): ForeignPart[] {
  if (isBlank(cell)) return []
  const share = Number(percent ?? 50)
  const split = [
    { url, weight: 100 - share },
    { url: cell, weight: share },
  ]
  return [{ feature: 'split', part: { split, stick: 'visit' } }]
}

/** A start in the past says nothing. */
export function startPart(cell: string | undefined): ForeignPart[] {
  return isBlank(cell)
    ? []
    : [{ feature: 'valid_since', part: { starts_at: parseMoment(cell ?? '') ?? cell } }]
}

/** The redirect rules of Shlink, with their conditions; only some files have them. */
export function shlinkRules(cells: Cells): ForeignPart[] {
  const list: unknown = parseJson(cells('redirectRules'))
  if (!Array.isArray(list))
    return /^true$/i.test(cells('hasRedirectRules') ?? '') ? [{ feature: 'rules', part: undefined }] : []
  const byPriority = (list as ShlinkRule[]).toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
  return byPriority.map(({ longUrl, conditions = [] }) => {
    const when = whenOf(conditions)
    return { feature: 'rules', part: when && { rules: [{ when, to: longUrl }] } }
  })
}

interface ShlinkRule {
  longUrl?: unknown
  priority?: number
  conditions?: ShlinkCondition[]
}

interface ShlinkCondition {
  type?: string
  matchKey?: string | null
  matchValue?: string | null
}

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

function parseObject(cell: string | undefined): Record<string, unknown> | undefined {
  const value: unknown = parseJson(cell)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function parseJson(cell: string | undefined): unknown {
  try {
    return JSON.parse(cell ?? 'null')
  } catch {
    return undefined
  }
}
