import { withSavepoint } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import { parseBody } from '@latchkey/http/validation'
import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { errorCodeOf, failureAt, literalTexts } from '../api/failures.ts'
import {
  type Creation,
  findAutoLength,
  findReusable,
  isReusable,
  mayReuse,
  storeNewLink,
  withDuplicates,
} from '../links/creation.ts'
import { urlKey } from '../urls/destination-url.ts'
import { leadsToOwnUrl, ownDomainsOf } from '../links/behaviour/redirect-loops.ts'
import { NewLink } from '../links/schema.ts'
import { generateFreshSlugs } from '../links/slugs/generator.ts'
import { findExistingSlugs } from '../links/slugs/store.ts'
import { SlugRace, insertLinks } from '../links/insert.ts'
import { findUrlKeys, lockUrls } from '../links/store.ts'
import { readChangedLinks } from '../links/read-model.ts'
import { linksPerTurn, yieldToRedirects } from './pace.ts'
import type { BulkMode, BulkResult } from './schema.ts'

/** Maximum number of lost races. After each one, what the other writer has done can be seen. */
const MAX_RACES = 20

/** A link that was to be reused has been changed or deleted since the lookup. */
class ReuseRace extends Error {
  override readonly name = 'ReuseRace'
}

type Parsed = { body: Creation } | { refusal: Failure }

/** A link that was created or reused, or the refusal. */
type Outcome = { id: number; body: Creation; duplicates?: number } | { refusal: Failure }

/**
 * Creates many links in one transaction. With `each`, an item that fails leaves the others; with
 * `all`, the first failure is thrown and nothing is created.
 */
export async function createMany(
  context: Context,
  { mode, items }: { mode: BulkMode; items: readonly unknown[] },
): Promise<BulkResult[]> {
  const parsed = items.map((item, at) => refuseIn(mode, at, parseItem(item)))
  // The answers contain the clicks of reused links.
  await context.flushClicks()
  const { outcomes, results } = await retryRaces(() =>
    context.database.write(async (tx) => {
      const made = await createAll(tx, context, parsed, mode)
      return { outcomes: made, results: await toResults(tx, context, made) }
    }),
  )
  for (const outcome of outcomes)
    if ('id' in outcome && outcome.duplicates === undefined && !outcome.body.label)
      context.enqueueTitleFetch?.(outcome.id, outcome.body.url)
  return results
}

/** Runs a transaction again when another writer took one of its new slugs, or changed a link that it reuses. */
async function retryRaces<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let races = 0; ; races++)
    try {
      return await transaction()
    } catch (error) {
      const isLost = error instanceof SlugRace || error instanceof ReuseRace
      if (!isLost || races >= MAX_RACES) throw error
    }
}

function parseItem(item: unknown): Parsed {
  try {
    return { body: { ...parseBody(NewLink, item, literalTexts), domain: null } }
  } catch (error) {
    return toRefusal(error)
  }
}

function toRefusal(error: unknown): { refusal: Failure } {
  if (error instanceof Failure) return { refusal: error }
  throw error
}

/** With `all`, a refusal of one item is the failure of the request, and names the item. */
function refuseIn<Item extends object>(
  mode: BulkMode,
  at: number,
  item: Item | { refusal: Failure },
): typeof item {
  if (mode === 'each' || !('refusal' in item)) return item
  throw failureAt(item.refusal, `items[${at}]`)
}

/**
 * Creates the links of all items. Those that can neither fail nor reuse a link, usually all, are
 * stored in few statements, and the others after them one by one.
 */
async function createAll(
  tx: Tx,
  context: Context,
  items: readonly Parsed[],
  mode: BulkMode,
): Promise<Outcome[]> {
  const { isSimple, auto } = await prepare(tx, context, items)
  const simple = items.flatMap((item, at) =>
    'body' in item && isSimple(at) ? [{ ...item, auto: auto(at) }] : [],
  )
  const ids = (await insertSimple(tx, context, simple)).values()
  const outcomes: Outcome[] = items.map((item, at) =>
    'body' in item && isSimple(at) ? { ...item, id: ids.next().value ?? 0 } : (item as { refusal: Failure }),
  )
  for (const [at, item] of items.entries()) {
    if ('refusal' in item || isSimple(at)) continue
    await yieldToRedirects(context.database, at)
    outcomes[at] = refuseIn(mode, at, await createOne(tx, context, item.body, auto(at)).catch(toRefusal))
  }
  return outcomes
}

interface Auto {
  length: number
  slug: string
}

interface Prepared {
  /** Whether the link of the item can be stored without a look at others. */
  isSimple: (at: number) => boolean
  auto: (at: number) => Auto
}

/** Locks the URLs of all items, and finds what `createOrReuse` finds for one before it stores a link. */
async function prepare(tx: Tx, context: Context, items: readonly Parsed[]): Promise<Prepared> {
  const { database } = context
  const queries = { db: tx, dialect: database.dialect }
  const bodies = items.map((item) => ('body' in item ? item.body : undefined))
  const urls = bodies.flatMap((body) => (body && mayReuse(body) ? [body.url] : []))
  await lockUrls(tx, database, urls)
  const usual = await findAutoLength(tx, context, null)
  const lengths = bodies.map((body) => body?.slug_length ?? usual)
  const slugs = await generateFreshSlugs(
    queries,
    lengths.map((length) => ({ domain: null, length })),
  )
  const customSlugs = bodies.flatMap((body) => (body && customSlugOf(body)) ?? [])
  const unavailable = (await findExistingSlugs(queries, customSlugs)).union(new Set(slugs))
  const urlKeys = await findUrlKeys(tx, database, urls)
  const domains = ownDomainsOf(context)
  const simple = bodies.map((body) => {
    if (!body) return false
    const custom = customSlugOf(body)
    const isFree =
      custom === undefined ? !mayReuse(body) || !urlKeys.has(urlKey(body.url)) : !unavailable.has(custom)
    // Later items may reuse the link of this one, or want the same slug.
    urlKeys.add(urlKey(body.url))
    if (custom !== undefined) unavailable.add(custom)
    return isFree && !leadsToOwnUrl({ url: body.url, behaviour: null }, domains)
  })
  return {
    isSimple: (at) => simple[at] ?? false,
    auto: (at) => ({ length: lengths[at] ?? usual, slug: slugs[at] ?? '' }),
  }
}

/** Returns the ids of the new links, in their order. */
async function insertSimple(
  tx: Tx,
  context: Context,
  items: readonly { body: Creation; auto: Auto }[],
): Promise<number[]> {
  const { identity, createdVia, now, slugSpace, database } = context
  const rows = items.map(({ body, auto }) => {
    const custom = customSlugOf(body)
    const base = { created_at: now, disabled_at: null }
    return {
      link: {
        url: body.url,
        label: body.label ?? null,
        expires_at: body.expires_at ?? null,
        created_via: createdVia,
        created_by: identity,
        created_at: now,
        updated_at: now,
        primary_slug: custom ?? auto.slug,
        domain: null,
      },
      slugs: [
        { ...base, slug: auto.slug, is_custom: 0 },
        ...(custom === undefined ? [] : [{ ...base, slug: custom, is_custom: 1 }]),
      ],
    }
  })
  const ids: number[] = []
  const size = linksPerTurn(database)
  for (let at = 0; at < rows.length; at += size) {
    await yieldToRedirects(database, at)
    ids.push(...(await insertLinks(tx, rows.slice(at, at + size))))
  }
  for (const { slugs } of rows) for (const { slug } of slugs) slugSpace.recordSlug(slug)
  return ids
}

function customSlugOf({ slug, custom_slug: alias }: NewLink): string | undefined {
  return slug ?? alias
}

/** Creates or reuses one link. What it has stored is undone if it fails. */
async function createOne(tx: Tx, context: Context, body: Creation, auto: Auto): Promise<Outcome> {
  const reusable = mayReuse(body) ? await findReusable(tx, context, body, 'any') : undefined
  if (reusable) return { id: reusable.id, body, duplicates: reusable.count }
  return { id: await withSavepoint(tx, () => storeNewLink(tx, context, body, auto)), body }
}

async function toResults(tx: Tx, context: Context, outcomes: readonly Outcome[]): Promise<BulkResult[]> {
  const ids = outcomes.flatMap((outcome) => ('id' in outcome ? [outcome.id] : []))
  const links = await readChangedLinks(tx, [...new Set(ids)], context)
  const linkOf = new Map(links.map((link) => [link.id, link]))
  return outcomes.map((outcome, index) => {
    if ('refusal' in outcome) return refusalResult(index, outcome.refusal)
    const link = linkOf.get(outcome.id)
    const { duplicates, body } = outcome
    if (duplicates !== undefined) {
      if (!isReusable(link, body)) throw new ReuseRace()
      return { index, status: 200, link: withDuplicates(link, duplicates) }
    }
    if (!link) throw new Error('A link was gone before its transaction ended')
    return { index, status: 201, link }
  })
}

export function refusalResult(index: number, refusal: Failure): BulkResult {
  return { index, status: refusal.status, error: refusal.message, code: errorCodeOf(refusal) }
}
