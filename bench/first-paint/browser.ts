import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type Cookie, chromium } from 'playwright-core'

/** Chromium itself: its headless shell keeps no compiled scripts. */
const CHROMIUM = process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

/** Slow 4G, as browsers' own tools emulate it, and a processor of a quarter of the speed. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const SLOWDOWN = 4

/** How long a page must stay unchanged until a visit has ended, in milliseconds. */
const QUIET_MS = 700

export interface Visit {
  /** Requests that reached the network, with sockets and event streams. */
  requests: number
  /** Bytes of scripts, as compressed. */
  scriptBytes: number
  /** Sum of all layout shifts. */
  shift: number
  /** Milliseconds from the entered address to the first paint, and to the content with its data. */
  paintMs: number
  contentMs: number
}

export interface Conditions {
  cookies: readonly Pick<Cookie, 'name' | 'value'>[]
  isThrottled: boolean
}

/**
 * Visits a page in a new browser profile: once from a cold cache, and then as often as `repeats`
 * says. The second visit is not counted, after which the browser keeps compiled scripts.
 */
export async function visitRepeatedly(
  address: string,
  repeats: number,
  { cookies, isThrottled }: Conditions,
): Promise<{ cold: Visit; repeated: Visit[] }> {
  const profile = mkdtempSync(join(tmpdir(), 'latchkey-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: FLAGS,
    viewport: { width: 1280, height: 900 },
  })
  try {
    await context.addCookies(
      cookies.map(({ name, value }) => ({ name, value, url: new URL('/', address).href })),
    )
    const cold = await visit(context, address, isThrottled)
    if (repeats > 0) await visit(context, address, isThrottled)
    const repeated: Visit[] = []
    for (let round = 0; round < repeats; round++) repeated.push(await visit(context, address, isThrottled))
    return { cold, repeated }
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
}

async function visit(context: BrowserContext, address: string, isThrottled: boolean): Promise<Visit> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const requests = new Set<string>()
  let scriptBytes = 0
  const scripts = new Set<string>()
  const cached = new Set<string>()
  devtools.on('Network.requestWillBeSent', ({ request, type, requestId }) => {
    if (!request.url.startsWith('http')) return
    requests.add(requestId)
    if (type === 'Script' || request.url.endsWith('.js')) scripts.add(requestId)
  })
  devtools.on('Network.webSocketCreated', ({ requestId }) => requests.add(requestId))
  devtools.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId))
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache) cached.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId) && !cached.has(requestId)) scriptBytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  if (isThrottled) {
    await devtools.send('Network.emulateNetworkConditions', NETWORK)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  }
  await page.addInitScript(observe)
  await page.goto(address)
  await page.waitForFunction((quietMs) => {
    const { contentMs = Infinity, changedMs = Infinity } = globalThis.visited ?? {}
    return performance.now() > Math.max(contentMs, changedMs) + quietMs
  }, QUIET_MS)
  const { contentMs = Number.NaN, shift } = await page.evaluate(() => globalThis.visited)
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  await page.close()
  return { requests: requests.difference(cached).size, scriptBytes, shift, paintMs, contentMs }
}

declare global {
  var visited: { shift: number; changedMs?: number; contentMs?: number }
}

/**
 * Runs in the page, independent of the load of the machine: when its content was painted, which is
 * the last time that a heading was there and no placeholder in view any more.
 */
function observe(): void {
  const visited: typeof globalThis.visited = { shift: 0 }
  globalThis.visited = visited
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      visited.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  // Above the messages of a room, one stands for older messages.
  const isInView = (placeholder: Element) => placeholder.getBoundingClientRect().bottom > 0
  let isComplete = false
  new MutationObserver(() => {
    visited.changedMs = performance.now()
    const was = isComplete
    isComplete =
      document.querySelector('h1') !== null &&
      ![...document.querySelectorAll('[class*=Skeleton-root], [class*=Loader-root], [aria-busy=true]')].some(
        isInView,
      )
    if (isComplete && !was) requestAnimationFrame(() => (visited.contentMs = performance.now()))
  }).observe(document, { childList: true, subtree: true, attributes: true })
}
