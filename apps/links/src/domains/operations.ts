import { lockKey } from '@latchkey/database/database'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Domain as StoredDomain } from '../urls/slug.ts'
import { entityTagHeader, matchesTag } from '../api/entity-tag.ts'
import { findInstanceUrls, saveInstanceUrls } from '../preferences/operations.ts'
import { requireDomain } from './find.ts'
import { Domain, DomainHost, DomainSettings, MAX_WELL_KNOWN_BYTES } from './schema.ts'
import { DEFAULT_HOST, UNSET, findDomainRow, hasLinks, saveDomainRow } from './store.ts'

const tag = 'Domains'
const params = z.object({ host: DomainHost })

/** Any number that all writes of domains share. */
const DOMAIN_LOCK = 4_170_620

/** The host of the default domain is that of the public origin. */
function hostOf({ origin }: Context, domain: string | null): string {
  return domain ?? new URL(origin).hostname
}

async function readDomain(db: Kysely<Tables>, context: Context, domain: StoredDomain): Promise<Domain> {
  const host = domain ?? DEFAULT_HOST
  const row = (await findDomainRow(db, host)) ?? { ...UNSET, host }
  const urls = domain === null ? await findInstanceUrls(db) : row
  const { status, robots, alias_of: aliasOf } = row
  return {
    host: hostOf(context, domain),
    is_default: domain === null,
    root_url: urls.root_url,
    not_found_url: urls.not_found_url,
    status: status as Domain['status'],
    robots,
    alias_of: aliasOf === null ? null : hostOf(context, aliasOf === DEFAULT_HOST ? null : aliasOf),
    well_known: JSON.parse(row.well_known ?? '{}') as Domain['well_known'],
  }
}

/** A hash of the answer, which also changes when other settings of the instance do. */
function entityTagOf(domain: Domain): string {
  return `"${Bun.hash.xxHash64(JSON.stringify(domain)).toString(36)}"`
}

async function answerDomain(db: Kysely<Tables>, context: Context, domain: StoredDomain): Promise<Domain> {
  const answer = await readDomain(db, context, domain)
  context.headers['ETag'] = entityTagOf(answer)
  return answer
}

export const listDomains = operation({
  id: 'listDomains',
  methods: ['GET'],
  path: '/domains',
  scope: 'read',
  tag,
  summary: 'List the short domains; the default domain comes first',
  result: z.array(Domain),
  async handler(context) {
    const domains: Domain[] = []
    for (const domain of [null, ...context.sites.hosts])
      domains.push(await readDomain(context.database.read, context, domain))
    return domains
  },
})

const getDomain = operation({
  id: 'getDomain',
  methods: ['GET'],
  path: '/domains/{host}',
  scope: 'read',
  tag,
  summary: 'Read the settings of a short domain',
  params,
  result: Domain,
  headers: entityTagHeader,
  failures: ['domain_not_found'],
  handler: async (context, { params: { host } }) =>
    answerDomain(context.database.read, context, requireDomain(context, host)),
})

const setDomain = operation({
  id: 'setDomain',
  methods: ['PUT'],
  path: '/domains/{host}',
  scope: 'create',
  tag,
  summary: 'Replace the settings of a short domain; for administrators of the instance',
  params,
  body: DomainSettings,
  bodyLimitBytes: 4 * MAX_WELL_KNOWN_BYTES,
  result: Domain,
  headers: entityTagHeader,
  failures: ['domain_not_found', 'not_admin', 'domain_changed', 'alias_of_unknown'],
  async handler(context, { params: { host }, body }) {
    const domain = requireDomain(context, host)
    if (!context.isAdmin) throw failure('not_admin')
    const written = await context.database.write(async (tx) => {
      await lockKey(context.database.dialect, tx, DOMAIN_LOCK)
      const present = await readDomain(tx, context, domain)
      if (!matchesTag(context, entityTagOf(present))) throw failure('domain_changed')
      const { root_url, not_found_url, well_known, alias_of, ...settings } = body
      const isDefault = domain === null
      if (isDefault) await saveInstanceUrls(tx, { root_url, not_found_url })
      await saveDomainRow(tx, {
        ...settings,
        host: domain ?? DEFAULT_HOST,
        root_url: isDefault ? null : root_url,
        not_found_url: isDefault ? null : not_found_url,
        alias_of: alias_of === null ? null : await findAlias(tx, context, { domain, host: alias_of }),
        well_known: Object.keys(well_known).length === 0 ? null : JSON.stringify(well_known),
      })
      return answerDomain(tx, context, domain)
    })
    await context.sites.refresh()
    return written
  },
})

/**
 * Returns the host whose slugs the domain answers with. The settings may no longer list it, as long
 * as it has links.
 */
async function findAlias(
  tx: Kysely<Tables>,
  { sites, origin }: Context,
  { domain, host }: { domain: StoredDomain; host: string },
): Promise<string> {
  const alias = sites.domainOf(host, origin)
  const isOther = alias === undefined ? await hasLinks(tx, host) : alias !== domain
  if (!isOther) throw failure('alias_of_unknown')
  return alias === null ? DEFAULT_HOST : host
}

export const domainOperations = [listDomains, getDomain, setDomain]
