import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { literalTexts } from '../api/failures.ts'
import { clearPassword, clickTotal, slugWords } from './csv-formats.ts'
import { ownBehaviour } from './own-behaviour.ts'
import { type RowFields, type SlugFields, requireMaxSlugs } from './import-row.ts'

const Flag = z
  .union([z.boolean(), z.number(), z.string()])
  .transform((flag) => Boolean(flag) && !/^(?:0|f|false|no)$/i.test(String(flag)))
  .nullish()
/** JSON of other programs may have a slug such as 2024 as a number. */
const SlugText = z.union([z.string(), z.int().transform(String)])

const SlugObject = z.object({
  slug: SlugText,
  is_custom: Flag,
  is_primary: Flag,
  created_at: z.unknown().optional(),
  disabled_at: z.unknown().optional(),
})

const SlugWords = z.union([z.string().transform(slugWords), z.array(SlugText)]).nullish()

/** The slugs of a Link object, or the flat fields of CSV files. */
const LinkSlugs = z.object({
  slugs: z.array(SlugObject).nullish(),
  slug: SlugText.nullish(),
  auto_slug: SlugText.nullish(),
  custom_slugs: SlugWords,
})
type LinkSlugs = z.output<typeof LinkSlugs>

/** Reads a line of NDJSON: a Link object as the API and the export return it. */
export function fieldsOfLink(line: Record<string, unknown>): RowFields {
  for (const list of [line['slugs'], line['custom_slugs']]) if (Array.isArray(list)) requireMaxSlugs(list)
  const input = parseOrFail(LinkSlugs, line, literalTexts)
  const { slugs, primary } = input.slugs ? slugsFromObjects(input.slugs) : slugsFromColumns(input)
  const { url, label, created_at, expires_at, disabled_at, created_by, domain } = line
  return {
    url,
    label,
    created_at,
    expires_at,
    disabled_at,
    created_by,
    domain,
    slugs,
    primary,
    clicks: clickTotal((name) => line[name.replaceAll(' ', '_')]),
    ...passwordOf(line['password']),
    ...ownBehaviour(line['behaviour']),
    ...(line['legacy_paths'] !== undefined && { legacyPaths: line['legacy_paths'] }),
  }
}

/** A password beside the behaviour, as other programs write it. */
function passwordOf(value: unknown): Pick<RowFields, 'password'> {
  return value ? clearPassword(typeof value === 'string' ? value : 'true') : {}
}

type Slugs = Pick<RowFields, 'slugs' | 'primary'>

function slugsFromObjects(slugs: NonNullable<LinkSlugs['slugs']>): Slugs {
  return {
    slugs: slugs.map((slug) => ({
      slug: slug.slug,
      isAuto: slug.is_custom === false,
      createdAt: slug.created_at,
      disabledAt: slug.disabled_at,
    })),
    primary: slugs.find((slug) => slug.is_primary)?.slug,
  }
}

function slugsFromColumns({ slug, auto_slug, custom_slugs }: LinkSlugs): Slugs {
  const custom = [...(slug ? [slug] : []), ...(custom_slugs ?? [])].map((word): SlugFields => ({
    slug: word,
  }))
  return {
    slugs: auto_slug ? [{ slug: auto_slug, isAuto: true }, ...custom] : custom,
    primary: slug ?? undefined,
  }
}
