import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** A whole number as JSON writes it. */
const INTEGER = /^(0|-?[1-9]\d*)$/

/**
 * Returns the arguments as their schema means them. Some clients send null for an argument that
 * they leave out, numbers and booleans as text, and text of digits as a number.
 */
export function normalizeArguments(schema: z.ZodObject, args: unknown): unknown {
  const { error } = schema.safeParse(args)
  if (!error) return args
  const normalized = structuredClone(args)
  for (const issue of error.issues.flatMap(withAlternatives)) normalizeValue(normalized, issue)
  return normalized
}

/** The issues of all alternatives of a union, with whole paths. */
function withAlternatives(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  return issue.errors
    .flat()
    .flatMap((inner) => withAlternatives({ ...inner, path: [...issue.path, ...inner.path] }))
}

function normalizeValue(args: unknown, issue: Issue): void {
  const key = issue.path.at(-1)
  const parent = issue.path.slice(0, -1).reduce(member, args)
  if (key === undefined || !isObject(parent) || !Object.hasOwn(parent, key)) return
  const value = parent[key]
  if (value === null && !Array.isArray(parent)) delete parent[key]
  else parent[key] = meaningOf(value, issue)
}

function member(parent: unknown, key: PropertyKey): unknown {
  return isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

function meaningOf(value: unknown, issue: Issue): unknown {
  const type = typeOf(issue)
  if (type === 'string' && Number.isSafeInteger(value)) return String(value)
  if (type === 'number' && typeof value === 'string' && INTEGER.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** The type that the schema expects. */
function typeOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_value') return typeof issue.values[0]
  if (issue.code !== 'invalid_type') return undefined
  return issue.expected === 'int' ? 'number' : issue.expected
}
