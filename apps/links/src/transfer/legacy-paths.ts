import { text } from '@latchkey/http/text'
import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { literalTexts } from '../api/failures.ts'
import { boundedText } from '../api/text.ts'
import { LegacyPath } from '../links/legacy/schema.ts'
import { MAX_LEGACY_PATHS, findLegacyPathProblem, legacyKey } from '../urls/legacy-path.ts'
import { type Domain, findSlugProblem, foldSlug, isSlug, slugKey } from '../urls/slug.ts'
import type { RowDefaults, RowFields } from './import-row.ts'
import { type Reason, fieldDropped, refuseRow } from './reason.ts'

/**
 * Which codes of a file become legacy paths: those that no slug can be and, of other programs, those
 * whose case counts; the latter of every file; or none.
 */
export const legacyModes = ['auto', 'exact', 'off'] as const
export type LegacyMode = (typeof legacyModes)[number]

/** A legacy path of a row. */
export interface ImportLegacyPath {
  key: string
  path: string
  source: string
  createdAt: number
}

/** What decides whether a code of a row becomes a legacy path. */
export interface LegacyRule {
  mode: LegacyMode
  /** Whether the file is one of a program that distinguishes codes by case. */
  distinguishesCase: boolean
}

/** Whether this code, without the slashes around it, becomes a legacy path. */
export function isLegacyCode(code: string, { mode, distinguishesCase }: LegacyRule): boolean {
  if (mode === 'off' || findLegacyPathProblem(code) !== undefined) return false
  const isCaseExact = mode === 'exact' || distinguishesCase
  return findSlugProblem(code) !== undefined || (isCaseExact && code !== foldSlug(code))
}

/**
 * The slug that would answer a legacy path, in any case and with a slash at its end; undefined if no
 * slug is spelled like it.
 */
export function slugOfLegacyPath(domain: Domain, path: string): string | undefined {
  const name = path.endsWith('/') ? path.slice(0, -1) : path
  return isSlug(name) ? slugKey(domain, foldSlug(name)) : undefined
}

/** Programs write paths with a slash before or after them. */
export function withoutSlashes(code: string): string {
  return code.trim().replaceAll(/^\/|\/$/g, '')
}

const isBlank = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '')

/** Marks the codes that become legacy paths. A disabled one stays a slug, which can be disabled. */
export function markLegacyCodes(fields: RowFields, { legacy: mode = 'off' }: RowDefaults): RowFields {
  const rule = { mode, distinguishesCase: fields.distinguishesCase ?? false }
  const slugs = fields.slugs.map((slug) => {
    const isLegacy = !slug.isAuto && isBlank(slug.disabledAt) && isLegacyCode(withoutSlashes(slug.slug), rule)
    return isLegacy ? { ...slug, isLegacy } : slug
  })
  return { ...fields, slugs }
}

/** The fields of the slugs alone. */
export function withoutLegacyCodes({ slugs, primary, ...fields }: RowFields): RowFields {
  const isLegacy = slugs.some((slug) => slug.isLegacy && slug.slug === primary)
  return {
    ...fields,
    slugs: slugs.filter((slug) => !slug.isLegacy),
    primary: isLegacy ? undefined : primary,
  }
}

type LegacyContext = Pick<RowDefaults, 'legacy' | 'format'> & {
  domain: Domain
  createdAt: number
  notes: Reason[]
}

/** The legacy paths of a row: of its marked codes, and those that an own file lists. */
export function legacyPathsOf(
  { slugs, legacyPaths: listed }: RowFields,
  { legacy = 'off', format = 'csv', domain, createdAt, notes }: LegacyContext,
): ImportLegacyPath[] {
  const isOff = legacy === 'off'
  if (isOff && listed) notes.push(fieldDropped('legacy_paths'))
  const codes = slugs.filter(({ isLegacy }) => isLegacy).map(({ slug }) => withoutSlashes(slug))
  const paths = [
    ...codes.map((path) => ({ key: legacyKey(domain, path), path, source: format, createdAt })),
    ...(isOff ? [] : readLegacyPaths(listed, domain)),
  ]
  const unique = [...new Map(paths.map((path) => [path.key, path])).values()]
  if (unique.length > MAX_LEGACY_PATHS)
    throw refuseRow({
      code: 'too_many_slugs',
      max: MAX_LEGACY_PATHS,
      text: `has more than ${MAX_LEGACY_PATHS} legacy paths`,
    })
  return unique
}

const MAX_SOURCE_LENGTH = 32

/** As the table takes it. */
const StorablePath = LegacyPath.extend({ source: boundedText(MAX_SOURCE_LENGTH, text().min(1)) })
const LegacyPaths = z.object({ legacy_paths: z.array(StorablePath).max(MAX_LEGACY_PATHS).nullish() })

/** The legacy paths of a Link object. Throws `Failure` for one that is not valid. */
function readLegacyPaths(value: unknown, domain: Domain): ImportLegacyPath[] {
  const { legacy_paths: paths } = parseOrFail(LegacyPaths, { legacy_paths: value }, literalTexts)
  return (paths ?? []).map(({ path, source, created_at: createdAt }) => {
    const problem = findLegacyPathProblem(path)
    if (problem !== undefined)
      throw refuseRow({
        code: 'slug_invalid',
        slug: path,
        text: `legacy path ${JSON.stringify(path)} ${problem}`,
      })
    return { key: legacyKey(domain, path), path, source, createdAt }
  })
}
