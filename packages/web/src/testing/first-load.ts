import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

/**
 * Expects that the HTML of this page, the first of a browser profile, names every script and style
 * that it has loaded: none had to wait until a script imported it. Together they take less than
 * `maxBytes` bytes over the wire. Time is not measured, but depends on these.
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
