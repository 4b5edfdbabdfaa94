import type { z } from 'zod'
import { type Failure, type FieldProblem, transportFailure } from './failure.ts'

/** Messages without the field's name before them. The app's contract lists them word for word. */
export type LiteralTexts = ReadonlySet<string>

const TYPE_NAMES: Record<string, string> = { int: 'an integer', array: 'an array', object: 'an object' }

/** The text of a problem for which the schema has none. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is required'
    return `must be ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`
  }
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
  return undefined
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : ''
}

/**
 * Parses `value`. Throws the first problem as `<field>: <message>` (or the literal text), status
 * 400.
 */
export function parseOrFail<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  literals: LiteralTexts,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: describe })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(chosenIssue)
  requireKnownFields(issues)
  const [issue] = issues
  throw transportFailure('invalid_request', {
    ...(issue && { detail: detailOf(issue) }),
    text: textOf(issue, literals),
    fields: issues.map(fieldProblem),
  })
}

function textOf(issue: z.core.$ZodIssue | undefined, literals: LiteralTexts): string {
  const { path = [], message = 'is not valid' } = issue ?? {}
  const field = path.join('.') || 'request'
  if (!literals.has(message)) return `${field}: ${message}`
  // A field may have the schema of another, such as `before_url` that of `url`.
  const [, name, rest] = /^([a-z_]+) (.+)$/.exec(message) ?? []
  return name === undefined || path.length === 0 || name === path.at(-1) ? message : `${field}: ${rest}`
}

/**
 * Returns the first problem within the only alternative of a union that accepts values of this type.
 */
function chosenIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const candidates = issue.errors.filter(
    (errors) => !errors.some(({ code, path }) => path.length === 0 && /^invalid_(type|value)$/.test(code)),
  )
  const [first, ...others] = candidates
  const unknown = first?.find(({ code }) => code === 'unrecognized_keys')
  const inner = others.length === 0 ? (unknown ?? first?.[0]) : undefined
  return inner === undefined ? issue : chosenIssue({ ...inner, path: [...issue.path, ...inner.path] })
}

/** Throws if a strict object inside has an unknown field, before any other problem. */
function requireKnownFields(issues: readonly z.core.$ZodIssue[]): void {
  for (const issue of issues)
    if (issue.code === 'unrecognized_keys') throw unknownField([...issue.path, issue.keys[0] ?? ''].join('.'))
}

function unknownField(path: string): Failure {
  return transportFailure('invalid_request', {
    detail: 'unknown_field',
    text: `Unknown field "${path}"`,
    fields: [{ path, code: 'unrecognized_keys' }],
  })
}

/**
 * Names the problem as `<field>_<problem>`, such as `url_too_long`. A custom check names its problem
 * with `params: { problem }`.
 */
function detailOf(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('_')}_${problemOf(issue)}`
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return String(issue.params?.['problem'] ?? 'invalid')
  if (issue.code === 'invalid_type' && issue.message.endsWith('is required')) return 'required'
  // The only lower limit of a text is one character.
  if (issue.code === 'too_small' && issue.origin === 'string') return 'required'
  return issue.code === 'too_big' && issue.origin === 'string' ? 'too_long' : 'invalid'
}

function fieldProblem({ path, code, ...issue }: z.core.$ZodIssue): FieldProblem {
  const isMissing = code === 'invalid_type' && issue.message === 'is required'
  return { path: path.join('.'), code: isMissing ? 'required' : code }
}

/** No valid input is nested more deeply. */
const MAX_DEPTH = 64

/**
 * Throws for JSON that is nested too deeply for recursion, and for `__proto__` at any place, which schemas of
 * records drop.
 */
export function requirePlain(json: unknown): void {
  const pending = [{ value: json, path: [] as readonly string[] }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next
    if (typeof value !== 'object' || value === null) continue
    if (path.length >= MAX_DEPTH)
      throw transportFailure('invalid_request', { text: `${path[0]}: is nested too deeply` })
    if (Object.hasOwn(value, '__proto__')) throw unknownField([...path, '__proto__'].join('.'))
    for (const [name, inner] of Object.entries(value))
      if (typeof inner === 'object') pending.push({ value: inner, path: [...path, name] })
  }
}

/** Parses a JSON object body strictly: an unknown field is reported before any other problem. */
export function parseBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
  literals: LiteralTexts,
): z.output<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw transportFailure('invalid_request', { text: 'request: must be a JSON object' })
  requirePlain(body)
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(schema.shape, name))
  if (unknown !== undefined) throw unknownField(unknown)
  return parseOrFail(schema, body, literals)
}

/**
 * Returns the query parameters as an object. Parameters that are arrays in `schema` have all of
 * their values, of others the first counts. The rest of the URL need not be valid.
 */
export function queryObject(url: string, schema?: z.ZodObject): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])) {
    if (name === '__proto__') continue
    const existing = Object.hasOwn(query, name) ? query[name] : undefined
    if (Array.isArray(existing)) existing.push(value)
    else if (existing === undefined) query[name] = isList(schema, name) ? [value] : value
  }
  return query
}

function isList(schema: z.ZodObject | undefined, name: string): boolean {
  return schema !== undefined && Object.hasOwn(schema.shape, name) && isArray(schema.shape[name])
}

function isArray(field: z.core.$ZodType | undefined): boolean {
  const def = field?._zod.def as z.core.$ZodTypeDef & { innerType?: z.core.$ZodType }
  return def?.type === 'array' || (def?.innerType !== undefined && isArray(def.innerType))
}
