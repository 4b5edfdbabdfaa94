import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classifyClick } from '../../apps/links/src/clicks/click.ts'
import { openRecorder } from '../../apps/links/src/counting/open-recorder.ts'
import { startLinks } from '../../apps/links/src/main.ts'
import { readSettings } from '../../apps/links/src/settings/settings.ts'

const LINKS = 300
const DAYS = 400
const CLICKS_PER_DAY = 50
const DAY_SECONDS = 86_400
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'
const COUNTRIES = ['SE', 'DE', 'ID', 'US', null]

/** A service with 300 links, three bundles and 20,000 clicks of 400 days. */
export async function startFilledLinks() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-first-paint-'))
  const databaseUrl = `sqlite:${join(folder, 'links.db')}`
  const service = await startLinks(
    readSettings({
      LINKS_DATABASE_URL: databaseUrl,
      LINKS_JOURNAL: `sqlite:${join(folder, 'journal.db')}`,
      LINKS_HOST: '127.0.0.1',
      LINKS_PORT: '0',
      LINKS_ACCESS: 'loopback',
      LINKS_TITLE_FETCH: 'off',
    }),
  )
  const at = (path: string) => `${service.url}/_/admin${path}`
  const create = async <Body>(path: string, body: unknown): Promise<Body> => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(at(`/api${path}`), { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Body
  }
  // The first request bundles the pages.
  await (await fetch(at('/dashboard'))).text()
  const links: { id: number; slugs: { slug: string }[] }[] = []
  for (let index = 0; index < LINKS; index++)
    links.push(await create('/links', { url: `https://example.com/${index}`, label: `Link ${index}` }))
  for (const name of ['Autumn campaign', 'Newsletter', 'Partners']) {
    const { id } = await create<{ id: number }>('/bundles', { name })
    for (const link of links.slice(0, 20)) await create(`/bundles/${id}/links`, { link_id: link.id })
  }
  await click(databaseUrl, links)
  return {
    pages: [
      '/dashboard',
      '/links',
      `/links/${links[0]?.id}`,
      '/bundles',
      '/bundles/1',
      '/keys',
      '/import-export',
      '/settings',
    ].map((path) => ({ name: path, address: at(path), cookies: [] })),
    async stop() {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function click(
  databaseUrl: string,
  links: readonly { id: number; slugs: { slug: string }[] }[],
): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const clicks = Array.from({ length: DAYS * CLICKS_PER_DAY }, (_, index) => {
    const link = links[index % links.length]
    return classifyClick({
      slug: link?.slugs[0]?.slug ?? '',
      linkId: link?.id ?? 0,
      clickedAt: now - Math.floor(index / CLICKS_PER_DAY) * DAY_SECONDS - 600,
      host: '127.0.0.1',
      query: null,
      referrer: index % 3 === 0 ? 'https://news.example.org/a' : null,
      userAgent: PHONE,
      country: COUNTRIES[index % COUNTRIES.length] ?? null,
      visitorFp: String(index % 500),
    })
  })
  const recorder = openRecorder(databaseUrl)
  await recorder.record(clicks)
  await recorder.close()
}
