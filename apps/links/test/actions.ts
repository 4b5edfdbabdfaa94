// The verbs that tests share. Each throws if the service refuses.
import { expect } from 'bun:test'
import { type JournalledClick, classifyClick } from '../src/clicks/click.ts'
import type { Behaviour } from '../src/links/behaviour/schema.ts'
import { openRecorder } from '../src/counting/open-recorder.ts'
import type { Reply, TestLinks } from './testing.ts'

export const DESKTOP =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'

/** Options of a request from a browser. Its clicks are not those of a bot. */
export const FROM_BROWSER = { headers: { 'User-Agent': DESKTOP } }

export interface LinkJson {
  id: number
  url: string
  label: string | null
  slugs: { slug: string; is_primary: number; disabled_at: number | null }[]
  disabled_at: number | null
  expires_at: number | null
  created_by: string
}

/** The admin API of the service behind the browser. */
interface AdminApi {
  at(path: string): string
  call(method: string, path: string, body: unknown): Promise<Response>
}

interface RedirectingService {
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Sends a POST to the admin API and returns the JSON of the answer. */
export async function post<Body = unknown>(admin: AdminApi, path: string, body: unknown): Promise<Body> {
  const response = await admin.call('POST', path, body)
  expect(response.status).toBeOneOf([200, 201])
  return (await response.json()) as Body
}

/** Returns the JSON of a GET of the admin API. */
export async function read<Body>(admin: AdminApi, path: string): Promise<Body> {
  return (await fetch(admin.at(`/api${path}`))).json() as Promise<Body>
}

export async function createLink(admin: AdminApi, fields: object): Promise<LinkJson> {
  const response = await admin.call('POST', '/links', fields)
  expect(response.status).toBe(201)
  return (await response.json()) as LinkJson
}

/** Reads the behaviour of a link, without which it is empty. */
export async function readBehaviour(admin: AdminApi, id: number): Promise<Behaviour> {
  const response = await fetch(admin.at(`/api/links/${id}/behaviour`))
  return (await response.json()) as Behaviour
}

export function readLink(admin: AdminApi, id: number | undefined): Promise<LinkJson> {
  return read(admin, `/links/${id}`)
}

export function searchLinks(admin: AdminApi, text: string): Promise<LinkJson[]> {
  return read(admin, `/links?search=${text}`)
}

/** Creates a bundle of these links and returns its id. */
export async function createBundle(
  admin: AdminApi,
  fields: { name: string; [field: string]: unknown },
  linkIds: readonly (number | undefined)[] = [],
): Promise<number> {
  const { id } = await post<{ id: number }>(admin, '/bundles', fields)
  for (const link_id of linkIds) await post(admin, `/bundles/${id}/links`, { link_id })
  return id
}

/** Creates an API key that may read, and returns it. */
export async function createKey(admin: AdminApi, title: string): Promise<string> {
  return (await post<{ raw_key: string }>(admin, '/keys', { title, scope: 'read' })).raw_key
}

/** Follows a short URL as a browser does. The headers replace those of the browser. */
export async function clickLink(
  service: RedirectingService,
  slug: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await service.fetch(`/${slug}`, {
    redirect: 'manual',
    headers: { ...FROM_BROWSER.headers, ...headers },
  })
  expect(response.status).toBe(302)
}

export type StoredClick = Pick<JournalledClick, 'slug' | 'linkId' | 'clickedAt'> & Partial<JournalledClick>

/**
 * Stores clicks of any time directly in the database. They come from a phone, unless `userAgent` is
 * given.
 */
export async function recordClicks(databaseUrl: string, clicks: readonly StoredClick[]): Promise<void> {
  const defaults = { host: '127.0.0.1', query: null, referrer: null, country: null, visitorFp: null }
  const recorder = openRecorder(databaseUrl)
  await recorder.record(clicks.map((click) => classifyClick({ ...defaults, userAgent: PHONE, ...click })))
  await recorder.close()
}

/** Lists links over the public API. */
export function listLinks(
  links: TestLinks,
  key: string,
  query: Record<string, string | number> = {},
): Promise<Reply> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return links.call('GET', `/links?${search}`, { key })
}

export async function listLinkIds(...query: Parameters<typeof listLinks>): Promise<number[]> {
  return (await listLinks(...query)).body.map(({ id }: { id: number }) => id)
}

/** Polls until the value is the expected one, and returns it. Throws after 15 s. */
export async function waitFor<Value>(
  readValue: () => Promise<Value>,
  isExpected: (value: Value) => boolean,
): Promise<Value> {
  for (const end = Date.now() + 15_000; ;) {
    const value = await readValue()
    if (isExpected(value)) return value
    if (Date.now() > end) throw new Error(`The value stays ${JSON.stringify(value)}`)
    await Bun.sleep(25)
  }
}
