import { Failure } from '@latchkey/http/failure'
import { parseBody, parseOrFail } from '@latchkey/http/validation'
import type { Database } from '@latchkey/database/database'
import { Sites } from '@latchkey/links/domains/sites'
import { NO_FILTERS } from '@latchkey/links/clicks/filters'
import type { Tables } from '@latchkey/links/db/tables'
import { literalTexts } from '@latchkey/links/api/failures'
import { recordChanges } from '@latchkey/links/record-changes'
import { createOrReuse } from '@latchkey/links/links/creation'
import { listLinkPositions, resolveSearch } from '@latchkey/links/links/list'
import { type Link, LinkQuery, NewLink } from '@latchkey/links/links/schema'
import { SlugSpace } from '@latchkey/links/links/slugs/generator'
import { foldSlug } from '@latchkey/links/urls/slug'
import { findSlug } from '@latchkey/links/links/slugs/store'
import { readLinks, withOrigin } from '@latchkey/links/links/read-model'
import type { Settings } from '@latchkey/links/settings/settings'
import { CommandFailure, UsageError } from '../command.ts'
import { plain } from '../output.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'

export interface ListOptions {
  search?: string | undefined
  owner?: string | undefined
  status?: string | undefined
  limit: string
}

/** The links of an instance, here or elsewhere. Throws `Failure` for what the API would refuse. */
export interface LinkSource {
  create(body: Record<string, unknown>): Promise<Link>
  list(options: ListOptions): Promise<Link[]>
  find(slug: string): Promise<Link>
}

/** The instance whose settings are in the environment. `identity` owns the links that are created. */
export function localLinks(identity = ''): LinkSource {
  const settings = currentSettings()
  const origin = settings.baseUrl ?? `http://${settings.host}:${settings.port}`
  const view = { now: nowSeconds(), filters: NO_FILTERS }
  const read = async <Result>(work: (database: Database<Tables>) => Promise<Result>): Promise<Result> => {
    await requireLinks(settings)
    return withDatabase(settings, work)
  }
  const readById = async (database: Database<Tables>, ids: readonly number[]) =>
    (await readLinks(database, ids, view)).map((link) => withOrigin({ origin }, link))
  return {
    create: (body) =>
      withDatabase(settings, async (database) =>
        createOrReuse(
          {
            ...view,
            ...(await creationContext(database, settings)),
            database: recordChanges(database, { identity, via: 'cli', now: view.now }),
            identity,
            origin,
          },
          { ...parseBody(NewLink, body, literalTexts), domain: null },
          'any',
        ),
      ),
    list: (options) =>
      read(async (database) => {
        const { limit, search, owner, status, domain: _ } = parseOrFail(LinkQuery, options, literalTexts)
        const query = await resolveSearch(database, { limit, search, owner, status }, view.now)
        const positions = await listLinkPositions(database, query, view.now)
        return readById(
          database,
          positions.map(({ id }) => id),
        )
      }),
    find: (slug) =>
      read(async (database) => {
        const row = await findSlug(database.read, foldSlug(slug))
        const [link] = row ? await readById(database, [row.link_id]) : []
        if (!link) throw new CommandFailure('Link not found')
        return link
      }),
  }
}

async function creationContext(database: Database<Tables>, settings: Settings) {
  const sites = new Sites(settings, database)
  await sites.refresh()
  return {
    sites,
    createdVia: 'api' as const,
    slugSpace: new SlugSpace(),
    headers: {},
    // The clicks of a running service are in its journal.
    flushClicks: () => Promise.resolve(true),
  }
}

const TIMEOUT_MS = 30_000

/** A remote instance, as the owner of the API key in LATCHKEY_KEY. */
export function remoteLinks(server: string): LinkSource {
  const key = process.env['LATCHKEY_KEY']
  if (!key) throw new UsageError('With --server, set LATCHKEY_KEY to an API key of that instance')
  if (!/^https?:\/\/[^/?#]+\/?$/.test(server) || !URL.canParse(server))
    throw new UsageError('--server must be an address such as https://go.example.com')
  const call = async <Body>(
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Body> => {
    const response = await fetch(new URL(`/_/api${path}`, server), {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new CommandFailure(
        `Cannot reach ${server}: ${error instanceof Error ? error.message : 'unknown'}`,
      )
    })
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok && body !== undefined) return body as Body
    const { error } = (body ?? {}) as { error?: unknown }
    throw new CommandFailure(
      typeof error === 'string'
        ? plain(error)
        : `${server} answers ${response.status} without an error of Latchkey`,
    )
  }
  return {
    create: (body) =>
      call('/links', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
        body: JSON.stringify(body),
      }),
    list: (options) => {
      const values = Object.entries(options).filter(([, value]) => value !== undefined)
      return call(`/links?${new URLSearchParams(values as [string, string][])}`)
    },
    find: (slug) => call(`/slugs/${encodeURIComponent(slug)}`),
  }
}

/** Refusals of the rules of links are failures of the command. */
export function asCommandFailure(error: unknown): never {
  throw error instanceof Failure ? new CommandFailure(error.message) : error
}
