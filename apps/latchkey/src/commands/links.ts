import { parseArgs } from 'node:util'
import type { Link } from '@latchkey/links/links/schema'
import { isSlug } from '@latchkey/links/urls/slug'
import { type Command, UsageError, requireIdentity, requirePositionals } from '../command.ts'
import { formatAmounts, plain, printError, printLine, table } from '../output.ts'
import { type LinkSource, asCommandFailure, localLinks, remoteLinks } from './link-source.ts'

const COMMON = { server: { type: 'string' }, json: { type: 'boolean', default: false } } as const
const REMOTE = `--server URL     a remote instance, with an API key in the environment variable LATCHKEY_KEY`

const create: Command = {
  words: ['links', 'create'],
  services: ['links'],
  synopsis: 'URL --identity E [--slug S] [options]',
  summary: 'Shorten a URL and print the short URL',
  details: `E owns the link. An active link with the same URL is reused, unless a slug is given.
--slug S         the slug; a random one by default
--label TEXT     a label for lists
--expires-at N   Unix seconds, from which the link does not redirect
${REMOTE}; the link then belongs to the owner
                 of the key, and --identity is left out
--json           the link as JSON, on one line`,
  async run(args) {
    const { positionals, values } = parseArgs({
      args,
      options: {
        ...COMMON,
        identity: { type: 'string' },
        slug: { type: 'string' },
        label: { type: 'string' },
        'expires-at': { type: 'string' },
      },
      allowPositionals: true,
    })
    const [url = ''] = requirePositionals(positionals, ['URL'])
    const { identity, slug, label, 'expires-at': expiresAt } = values
    if (expiresAt !== undefined && !/^\d{1,12}$/.test(expiresAt))
      throw new UsageError('--expires-at must be Unix seconds')
    const body = {
      url,
      ...(slug !== undefined && { slug }),
      ...(label !== undefined && { label }),
      ...(expiresAt !== undefined && { expires_at: Number(expiresAt) }),
    }
    const source = sourceFor(values.server, identity)
    const link = await source.create(body).catch(asCommandFailure)
    printLine(values.json ? JSON.stringify(link) : plain(shortUrl(link)))
    return 0
  },
}

/** The instance here needs an owner for new links; a remote one knows that of the key. */
function sourceFor(server: string | undefined, identity: string | undefined): LinkSource {
  if (server !== undefined) {
    if (identity !== undefined) throw new UsageError('With --server, the owner is that of the API key')
    return remoteLinks(server)
  }
  if (identity === undefined) throw new UsageError('Missing: --identity')
  requireIdentity('identity', identity)
  return localLinks(identity)
}

function linksOf(server: string | undefined): LinkSource {
  return server === undefined ? localLinks() : remoteLinks(server)
}

const list: Command = {
  words: ['links', 'list'],
  services: ['links'],
  synopsis: '[--search WORDS] [--owner E] [options]',
  summary: 'List links, newest first',
  details: `--search WORDS   links with all of these words in their label, slugs, URL, owner or bundles
--owner E        links of one owner
--status S       active, disabled, expired or all (the default)
--limit N        the number of links, 25 by default, at most 1000
${REMOTE}
--json           one link as JSON on each line`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        ...COMMON,
        search: { type: 'string' },
        owner: { type: 'string' },
        status: { type: 'string' },
        limit: { type: 'string', default: '25' },
      },
    })
    const { server, json, ...options } = values
    const links = await linksOf(server).list(options).catch(asCommandFailure)
    if (json) for (const link of links) printLine(JSON.stringify(link))
    else if (links.length === 0) printError('There are no such links')
    else {
      const rows = links.map((link) =>
        [shortUrl(link), stateOf(link), String(link.total_clicks), link.created_by, link.url].map(plain),
      )
      printLine(table([['SHORT URL', 'STATE', 'CLICKS', 'OWNER', 'DESTINATION'], ...rows]))
    }
    return 0
  },
}

const show: Command = {
  words: ['links', 'show'],
  services: ['links'],
  synopsis: 'SLUG [options]',
  summary: 'Show the link of a slug',
  details: `${REMOTE}
--json           the link as JSON, on one line`,
  async run(args) {
    const { positionals, values } = parseArgs({ args, options: COMMON, allowPositionals: true })
    const [slug = ''] = requirePositionals(positionals, ['SLUG'])
    if (!isSlug(slug)) throw new UsageError(`${JSON.stringify(slug)} is no slug`)
    const link = await linksOf(values.server).find(slug).catch(asCommandFailure)
    printLine(values.json ? JSON.stringify(link) : describe(link))
    return 0
  },
}

function describe(link: Link): string {
  const slugs = link.slugs.map(
    ({ slug, click_count: clicks, disabled_at: since }) =>
      `${slug} (${formatAmounts([[clicks, 'click']])}${since === null ? '' : ', disabled'})`,
  )
  return table(
    [
      ['Short URL', shortUrl(link)],
      ['Destination', link.url],
      ['Label', link.label ?? 'none'],
      ['State', stateOf(link)],
      ['Expires', link.expires_at === null ? 'never' : momentOf(link.expires_at)],
      ['Owner', link.created_by],
      ['Created', momentOf(link.created_at)],
      ['Clicks', String(link.total_clicks)],
      ['Slugs', slugs.join(', ')],
    ].map((row) => row.map(plain)),
  )
}

function shortUrl({ short_origin: origin, slugs }: Link): string {
  const primary = slugs.find((slug) => slug.is_primary === 1)
  return `${origin}/${primary?.slug}`
}

function stateOf({ disabled_at: disabledAt, expires_at: expiresAt }: Link): string {
  if (disabledAt !== null) return 'disabled'
  return expiresAt !== null && expiresAt * 1000 <= Date.now() ? 'expired' : 'active'
}

function momentOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

export const linkCommands: readonly Command[] = [create, list, show]
