import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { classifyClick } from '../../apps/links/src/clicks/click.ts'
import { openRecorder } from '../../apps/links/src/clicks/recorder.ts'
import { startLinks } from '../../apps/links/src/main.ts'
import { readSettings } from '../../apps/links/src/settings/settings.ts'

/**
 * Measures how soon the dashboard appears over loopback, each time in a freshly started browser
 * that has never seen the service: `bun bench/first-paint/run.ts --rounds 20`. Needs Chromium, at
 * the path in LATCHKEY_TEST_CHROMIUM.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const rounds = Number(values.rounds)

const PROMISED_MS = 1_000
const DAY = 86_400
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'
const COUNTRIES = ['SE', 'DE', 'ID', 'US', null]
const CHROMIUM = process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** Creates six links with 400 days of clicks. */
async function fill(pages: string, databaseUrl: string): Promise<void> {
  const links: { id: number; slugs: { slug: string }[] }[] = []
  for (let index = 0; index < 6; index++) {
    const response = await fetch(`${pages}/api/links`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `https://example.com/${index}`, label: `Link ${index}` }),
    })
    links.push((await response.json()) as (typeof links)[number])
  }
  const now = Math.floor(Date.now() / 1000)
  const clicks = Array.from({ length: 400 * 20 }, (_, index) => {
    const link = links[index % links.length]
    return classifyClick({
      slug: link?.slugs[0]?.slug ?? '',
      linkId: link?.id ?? 0,
      clickedAt: now - Math.floor(index / 20) * DAY - 600,
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

interface Opened {
  /**
   * Milliseconds since the address was entered: until the header in the HTML is painted, the client
   * has started, …
   */
  paint: number
  page: number
  data: number
  chart: number
  /** Bytes over the wire, with headers. */
  bytes: number
}

async function open(address: string): Promise<Opened> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    // Recorded in the page itself, independent of the load of the machine.
    await page.addInitScript(() => {
      const seen = new MutationObserver(() => {
        if (!document.querySelector('h1')) return
        performance.mark('page')
        seen.disconnect()
      })
      seen.observe(document, { childList: true, subtree: true })
    })
    await page.goto(address)
    await page.locator('.bars-bar').first().waitFor({ state: 'attached' })
    return await page.evaluate(() => {
      const chart = performance.now()
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const documents = performance.getEntriesByType('navigation') as PerformanceResourceTiming[]
      return {
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
        page: performance.getEntriesByName('page')[0]?.startTime ?? Number.NaN,
        data: entries.find(({ name }) => name.includes('/api/dashboard'))?.responseEnd ?? Number.NaN,
        chart,
        bytes: [...documents, ...entries].reduce((sum, { transferSize }) => sum + transferSize, 0),
      }
    })
  } finally {
    await browser.close()
  }
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN)
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')

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
try {
  const pages = `${service.url}/_/admin`
  // The first request bundles the pages.
  await (await fetch(`${pages}/dashboard`)).text()
  await fill(pages, databaseUrl)
  const before = load()
  const opened: Opened[] = []
  for (let round = 0; round < rounds; round++) opened.push(await open(`${pages}/dashboard`))
  const machine = `${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, Bun ${Bun.version}, ${rounds} rounds`)
  console.log(`load average before: ${before}, after: ${load()}\n`)
  console.log('|  | p50 ms | p95 ms | target |\n|---|---|---|---|')
  for (const [label, name] of [
    ['first contentful paint', 'paint'],
    ['page has its heading', 'page'],
    ['figures have arrived', 'data'],
    ['chart is drawn', 'chart'],
  ] as const) {
    const times = opened.map((one) => one[name])
    const target = name === 'paint' ? `p95 below ${PROMISED_MS}` : ''
    console.log(`| ${label} | ${quantile(times, 0.5)} | ${quantile(times, 0.95)} | ${target} |`)
  }
  const bytes = quantile(
    opened.map((one) => one.bytes),
    0.5,
  )
  console.log(`\n${Math.round(bytes / 1024)} KB over the wire until the chart is drawn`)
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
