import type { Database } from '@latchkey/database/database'
import { parseTrusted } from '@latchkey/http/client-address'
import type { Journal } from './counting/journal.ts'
import type { VisitorSalts } from './counting/visitor-salts.ts'
import type { Tables } from './db/tables.ts'
import { createFaultLog } from './api/fault-log.ts'
import type { createAdmin } from './http/admin.ts'
import { createOwnerPage } from './http/owner-page.ts'
import { visitorPeerReader } from './http/peer.ts'
import type { Services } from './http/services.ts'
import type { CountingOptions } from './redirect/decide.ts'
import type { VisitOptions } from './redirect/visit.ts'
import type { Settings } from './settings/settings.ts'
import type { Lookup } from './redirect/lookup.ts'
import { ClickLimits } from './redirect/click-limits.ts'
import { NotFoundUrl } from './redirect/not-found-url.ts'
import { PasswordCheck } from './redirect/password-check.ts'
import { Redirect } from './redirect/redirect.ts'
import { findNotFoundUrl } from './preferences/operations.ts'
import { findPasswordHash, hasVisitsLeft, releaseVisit, reserveVisits } from './links/behaviour/store.ts'
import { isPassword } from './links/behaviour/password.ts'
import { locationOf } from './urls/location.ts'
import { openCountryLookup } from './clicks/country.ts'
import { referrerHost } from './clicks/referrer.ts'
import { visitorHasher } from './clicks/visitor.ts'

/** The longest wait of a visitor for the database, as in the look-up of slugs. */
const VISITOR_STATEMENT_LIMIT_MS = 3_000

interface RedirectDependencies {
  services: Services
  database: Database<Tables>
  admin: ReturnType<typeof createAdmin>
  lookup: Lookup
  journal: Journal
  /** Milliseconds since 1970. */
  now: () => number
  visitOptions: VisitOptions & CountingOptions
}

/** What redirects and their explanations read of a request. */
export function createVisitOptions(
  settings: Settings,
  salts: VisitorSalts,
  userAgent: string,
): VisitOptions & CountingOptions {
  return {
    publicHost: referrerHost(settings.baseUrl),
    titleUserAgent: userAgent,
    proxies: { header: settings.proxyHeader, trusted: parseTrusted(settings.trustedProxies) },
    countryHeader: settings.countryHeader,
    countryOf: openCountryLookup(),
    peerOf: visitorPeerReader(settings),
    visitorOf: visitorHasher((day) => salts.of(day)),
    isLean: settings.privacy === 'lean',
    honorsGpc: settings.honorGpc,
  }
}

/** Composes the redirect: its look-up, its journal, and what links with behaviour need beside them. */
export function createRedirect(dependencies: RedirectDependencies): Redirect {
  const { services, database, admin, lookup, journal, now, visitOptions } = dependencies
  const { log } = services
  // On SQLite, statements end by themselves.
  const store =
    database.dialect === 'postgres' ? database.withStatementTimeout(VISITOR_STATEMENT_LIMIT_MS) : database
  const notFoundUrl = new NotFoundUrl(
    async () => locationOf((await findNotFoundUrl(store.read)) ?? '') ?? null,
  )
  database.afterWrite(() => notFoundUrl.expire())
  return new Redirect({
    ...visitOptions,
    lookup,
    journal,
    limits: new ClickLimits({
      reserve: (linkId, wanted) => reserveVisits(store, { linkId, wanted, now: Math.floor(now() / 1000) }),
      hasVisitsLeft: (linkId) => hasVisitsLeft(store.read, linkId),
      release: (linkId) => releaseVisit(store, linkId),
    }),
    passwords: new PasswordCheck(
      { findHash: (linkId) => findPasswordHash(store.read, linkId), isRight: isPassword },
      now,
    ),
    notFoundUrl,
    ownerPage: createOwnerPage(services, admin.admit),
    now,
    onLookupError: createFaultLog(log, 'redirect: the database cannot be used', 'requests'),
  })
}
