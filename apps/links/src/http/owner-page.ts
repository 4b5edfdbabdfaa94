import { isStorageUnavailable } from '@latchkey/database/errors'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { acceptedLanguages, firstLanguage, localeOf } from '@latchkey/web/languages'
import type { Admission } from '../access/access.ts'
import { type SlugState, findSlugState } from '../links/slugs/store.ts'
import { findPreferences } from '../preferences/store.ts'
import type { Site } from '../domains/sites.ts'
import { isLegacyKey } from '../urls/legacy-path.ts'
import { parseSlugKey } from '../urls/slug.ts'
import { findPrimaryOfLegacyPath } from '../links/legacy/store.ts'
import type { ClosedReason } from '../links/behaviour/evaluate.ts'
import { locationOf } from '../urls/location.ts'
import { serverTexts } from '../texts/texts.ts'
import { htmlPage, renderMessage } from '../redirect/pages.ts'
import type { RedirectOptions } from '../redirect/redirect.ts'
import type { ShortUrlRequest } from '../redirect/visit.ts'
import { peerOf } from './peer.ts'
import type { Services } from './services.ts'

type Admit = (request: Request, peer: string) => Promise<Admission>

/**
 * Creates the page that explains to the owner of a slug why it does not redirect, and offers an
 * unused slug to anyone whom the access layer admits (L12.6). Everyone else gets undefined, before the
 * database is asked: whether the slug exists cannot be seen in the time that the answer takes.
 */
export function createOwnerPage(services: Services, admit: Admit): RedirectOptions['ownerPage'] {
  return async (target, closed) => {
    const { request, server } = target
    // The owner's browser sends images and frames of other sites, too.
    if (request.method !== 'GET' || isCrossOriginSubrequest(request)) return undefined
    try {
      const admission = await admit(request, peerOf(request, server))
      return admission.ok ? await renderOwnerPage(services, target, closed, admission.identity) : undefined
    } catch (error) {
      if (isStorageUnavailable(error)) services.logDatabaseFault(error)
      else services.log.error('owner page: failed', { error })
      return undefined
    }
  }
}

async function renderOwnerPage(
  { database, now, settings }: Services,
  { request, slug: visited, site }: ShortUrlRequest,
  closed: ClosedReason | undefined,
  identity: string,
): Promise<Response | undefined> {
  // The admin pages are on the default domain, whose origin comes from the settings alone.
  if (site.domain !== null && settings.baseUrl === null) return undefined
  const key = isLegacyKey(visited) ? await findPrimaryOfLegacyPath(database.read, visited) : visited
  if (key === undefined) return undefined
  const state = await findSlugState(database.read, key)
  if (state && state.created_by !== identity) return undefined
  const miss = state ? explainMiss(state, closed, now()) : UNUSED
  if (!miss) return undefined
  const { lang, time_zone: timeZone } = await findPreferences(database.read, identity)
  const tags = acceptedLanguages(request.headers.get('accept-language'))
  const language = firstLanguage([lang ?? '', ...tags])
  const texts = serverTexts[language].pages
  const { title, sentence } = texts[miss.reason]
  const when = formatMoment(miss.at, localeOf(language, tags), timeZone ?? 'UTC')
  const { slug } = parseSlugKey(key)
  const [path, label] = state
    ? [`/_/admin/links/${state.link_id}`, texts.openLink]
    : [`/_/admin/links?${newLinkQuery(site, slug)}`, texts.createLink]
  const origin = site.domain === null ? '' : (settings.baseUrl ?? '')
  const html = renderMessage(language, {
    title,
    sentence: sentence.replace('{{when}}', when),
    above: `<p class="slug"><code>/${Bun.escapeHTML(slug)}</code></p>\n`,
    below: `<p class="actions"><a href="${origin}${Bun.escapeHTML(path)}">${label}</a></p>\n<p class="only-you">${texts.onlyYou}</p>\n`,
  })
  return htmlPage(html, { status: 404 })
}

/** The query that opens the form for a new link with this slug. */
function newLinkQuery({ domain }: Site, slug: string): string {
  const create = `create=${encodeURIComponent(slug)}`
  return domain === null ? create : `${create}&domain=${encodeURIComponent(domain)}`
}

interface Miss {
  reason: 'disabled' | 'expired' | 'slugDisabled' | 'invalid' | 'unused' | 'early' | 'usedUp'
  /** Unix seconds; null if there is no such moment. */
  at: number | null
}

const UNUSED: Miss = { reason: 'unused', at: null }

/** Undefined if the slug redirects by now. */
function explainMiss(state: SlugState, closed: ClosedReason | undefined, now: number): Miss | undefined {
  const { disabled_at, expires_at, slug_disabled_at, url } = state
  if (disabled_at !== null) return { reason: 'disabled', at: disabled_at }
  if (expires_at !== null && expires_at <= now) return { reason: 'expired', at: expires_at }
  if (slug_disabled_at !== null) return { reason: 'slugDisabled', at: slug_disabled_at }
  if (locationOf(url) === undefined) return { reason: 'invalid', at: null }
  if (closed?.outcome === 'early') return { reason: 'early', at: closed.at }
  return closed?.outcome === 'used_up' ? { reason: 'usedUp', at: null } : undefined
}

const MOMENT = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const

function formatMoment(seconds: number | null, locale: string, timeZone: string): string {
  return seconds === null ? '' : new Date(seconds * 1000).toLocaleString(locale, { ...MOMENT, timeZone })
}
