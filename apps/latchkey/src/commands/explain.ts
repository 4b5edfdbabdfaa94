import { parseArgs } from 'node:util'
import { Failure } from '@latchkey/http/failure'
import { referrerHost } from '@latchkey/links/clicks/referrer'
import { explain } from '@latchkey/links/explain/explain'
import type { VisitSource } from '@latchkey/links/explain/visit-source'
import { VisitQuery } from '@latchkey/links/explain/schema'
import { Sites } from '@latchkey/links/domains/sites'
import { foldSlug, isSlug } from '@latchkey/links/urls/slug'
import type { Settings } from '@latchkey/links/settings/settings'
import { type Command, CommandFailure, UsageError, requirePositionals } from '../command.ts'
import { parseDomain } from '../domain-option.ts'
import { currentSettings, nowSeconds, requireLinks, withDatabase } from '../environment.ts'
import { formatExplanation } from '../explanation.ts'
import { printLine } from '../output.ts'

/** A visitor whom a person has in mind who names no browser. */
const DESKTOP_BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const VISIT_OPTIONS = {
  at: { type: 'string' },
  'user-agent': { type: 'string' },
  country: { type: 'string' },
  language: { type: 'string' },
  referrer: { type: 'string' },
  query: { type: 'string' },
  method: { type: 'string' },
  domain: { type: 'string' },
} as const

export const explainCommand: Command = {
  words: ['links', 'explain'],
  services: ['links'],
  synopsis: 'SLUG [--country SE] [--at TIME] [options]',
  summary: 'Explain where a slug leads a visitor, and why',
  details: `Nothing is counted, and nothing used up.
--at TIME        another moment, such as 2026-12-24T09:00:00+01:00 or Unix seconds; now by default
--user-agent UA  the browser of the visitor; a desktop browser by default
--country SE     the country of the visitor; unknown by default
--language sv    the Accept-Language of the visitor
--referrer URL   the page that the visitor comes from
--query a=1      the query of the short URL
--domain HOST    the domain of the short URL; the default domain by default
--method POST    GET (the default), HEAD, or POST, which enters the right password
--json           the answer of the API, on one line`,
  async run(args) {
    const { positionals, values } = parseArgs({
      args,
      options: { ...VISIT_OPTIONS, json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [word = ''] = requirePositionals(positionals, ['SLUG'])
    if (!isSlug(word)) throw new UsageError(`${JSON.stringify(word)} is no slug`)
    const slug = foldSlug(word)
    const { json, domain, ...visit } = values
    const query = parseVisit(visit)
    const settings = currentSettings()
    const host = parseDomain(domain, settings)
    await requireLinks(settings)
    const { explanation } = await withDatabase(settings, async (database) => {
      const sites = new Sites(settings, database)
      await sites.refresh()
      const visited = { site: sites.of(host), slug }
      return explain(database.read, visited, { source: sourceOf(settings), query, now: nowSeconds() })
    }).catch((error: unknown) => {
      throw error instanceof Failure ? new CommandFailure(error.message) : error
    })
    printLine(json ? JSON.stringify(explanation) : formatExplanation(slug, explanation))
    return 0
  },
}

function parseVisit(
  values: Partial<Record<Exclude<keyof typeof VISIT_OPTIONS, 'domain'>, string>>,
): VisitQuery {
  const { at, 'user-agent': userAgent, ...others } = values
  const parsed = VisitQuery.safeParse({
    user_agent: userAgent ?? DESKTOP_BROWSER,
    ...(at !== undefined && { at: secondsOf(at) }),
    ...others,
  })
  if (parsed.success) return parsed.data
  const [{ path, message } = { path: [], message: '' }] = parsed.error.issues
  throw new UsageError(`--${path.join('.').replaceAll('_', '-')} ${message}`)
}

/** A time with its zone as Unix seconds; anything else unchanged. */
function secondsOf(at: string): string {
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(at)
  return isTime ? String(Math.floor(Date.parse(at) / 1000)) : at
}

/** A visitor of whom nothing is known. */
function sourceOf(settings: Settings): VisitSource {
  return {
    request: new Request('http://localhost/'),
    peer: '',
    options: {
      publicHost: referrerHost(settings.baseUrl),
      titleUserAgent: '',
      proxies: { header: null, trusted: new Set() },
      countryHeader: null,
      countryOf: () => null,
      peerOf: () => '',
      visitorOf: () => null,
      isLean: settings.privacy === 'lean',
      honorsGpc: settings.honorGpc,
    },
  }
}
