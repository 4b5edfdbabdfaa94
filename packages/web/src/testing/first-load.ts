import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

const MAX_REQUESTS = 10
const MAX_SHIFT = 0.01

/**
 * Opens an address in this page and expects a light page once `untilComplete` has resolved: at most
 * ten requests, with sockets and event streams but without icons; compressed scripts of at most
 * `maxScriptBytes`; scripts and styles that the HTML names, so that none waits until a script imports
 * it; and nothing that moves. Time is not measured, but depends on these. What is loaded ahead of its
 * use, once the page is complete, does not count.
 */
export async function expectLightLoad(
  page: Page,
  address: string,
  { maxScriptBytes, untilComplete }: { maxScriptBytes: number; untilComplete: () => Promise<unknown> },
): Promise<void> {
  const stopSaving = await saveData(page)
  const requests: string[] = []
  const record = (request: { url: () => string }) =>
    requests.push(request.url().replace(/^\w+:\/\/[^/]+/, ''))
  page.on('request', record).on('websocket', record)
  await page.goto(address)
  await untilComplete()
  page.off('request', record).off('websocket', record)
  const html = await page.evaluate(async () => (await fetch(location.href)).text())
  const loaded = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\.(?:js|css)$/.test(name))
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize })),
  )
  const scripts = loaded.filter(({ path }) => path.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(1)
  expect(loaded.filter(({ path }) => !html.includes(`"${path}"`))).toEqual([])
  expect(requests.length <= MAX_REQUESTS ? [] : requests).toEqual([])
  expect(
    scripts.reduce((sum, { bytes }) => sum + bytes, 0),
    address,
  ).toBeLessThan(maxScriptBytes)
  await stopSaving()
  await expectNothingMoves(page)
}

/** Expects that nothing has moved since the page was opened. */
export async function expectNothingMoves(page: Page): Promise<void> {
  const { shift, moved } = await findMoves(page)
  expect(shift > MAX_SHIFT ? moved : []).toEqual([])
}

/**
 * From its next load on, this page saves data, and so loads nothing ahead of its use (lazy-page.ts).
 * Returns a function that ends this.
 */
export async function saveData(page: Page): Promise<() => Promise<void>> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
  return () => devTools.detach()
}

/** The sum of all layout shifts of the page, and the HTML of what has moved. */
function findMoves(page: Page): Promise<{ shift: number; moved: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const shifts = list.getEntriesByType('layout-shift') as (PerformanceEntry & {
            value: number
            sources: readonly { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[]
          })[]
          resolve({
            shift: shifts.reduce((sum, { value }) => sum + value, 0),
            moved: shifts.flatMap(({ value, sources }) =>
              sources.map(
                ({ node, previousRect: from, currentRect: to }) =>
                  `${value}: ${from.x},${from.y} to ${to.x},${to.y}: ${node?.outerHTML?.slice(0, 120)}`,
              ),
            ),
          })
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // There is always one of these, so an answer comes also if nothing has moved.
        observer.observe({ type: 'navigation', buffered: true })
      }),
  )
}
