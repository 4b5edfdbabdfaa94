import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

/**
 * Everything that this page has loaded, the first of a browser profile, is named in its HTML, so that nothing waited for a
 * script to say what else it needs; and all of it together was no more than `maxBytes` bytes over the wire. No time is measured:
 * these are what it depends on.
 */
export async function expectSmallFirstLoad(page: Page, maxBytes: number): Promise<void> {
  const html = await page.evaluate(async () => (await fetch(location.href)).text())
  const loaded = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\.(?:js|css)$/.test(name))
      .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize })),
  )
  expect(loaded.length).toBeGreaterThan(2)
  expect(loaded.filter(({ path }) => !html.includes(`"${path}"`))).toEqual([])
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, html.length)).toBeLessThan(maxBytes)
}
