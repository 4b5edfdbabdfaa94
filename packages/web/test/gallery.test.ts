import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  expectAccessible,
  expectAccessibleIn,
  expectAccessibleViews,
  expectFingerSized,
  expectWithinWidth,
  keepToasts,
  screenshot,
  testBrowser,
} from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { serveGallery } from './gallery/server.ts'

const caches = mkdtempSync(join(tmpdir(), 'latchkey-gallery-'))
const browser = testBrowser({ 'Accept-Language': 'en' }, { blank: '/favicon.svg' })
const { built, server } = serveGallery(0, caches)
const open = (path = '/', view?: Parameters<typeof browser.open>[1]) =>
  browser.open(new URL(path, server.url).href, view)

beforeAll(() => built(), 60_000)
afterAll(async () => {
  await server.stop(true)
  rmSync(caches, { recursive: true, force: true })
})

/** Opens a menu, a popover, a dialog, a drawer and the notifications, one after the other. */
async function openAll(page: Page, look: (name: string) => Promise<unknown>): Promise<void> {
  for (const [button, role] of [
    ['Menu', 'menu'],
    ['Language and colours', 'dialog'],
    ['Dialog', 'dialog'],
    ['Drawer', 'dialog'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).press('Enter')
    await page.getByRole(role).waitFor()
    await look(button)
    // Escape closes what has the focus.
    await page.locator(`[role=${role}]:focus-within`).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole(role).waitFor({ state: 'detached' })
  }
  for (const button of ['Confirmation', 'Error', 'Undo'])
    await page.getByRole('button', { name: button, exact: true }).press('Enter')
  await page.locator('.mantine-Notification-root').nth(2).waitFor()
  await look('Notifications')
}

test('every part is accessible and fits, at three widths, in light and in dark', async () => {
  const { page, errors } = await open()
  await expectAccessibleViews(page, 'gallery', [1440, 1024, 390])
  await keepToasts(page)
  await openAll(page, async (name) => {
    for (const scheme of ['light', 'dark'] as const)
      await expectAccessibleIn(page, scheme, `gallery-${name.toLowerCase()}-${scheme}`)
    await expectWithinWidth(page)
  })
  expect(errors).toEqual([])
}, 120_000)

test('every part fits at 200 % zoom, and is large enough for a finger', async () => {
  // A window of 1440 by 900 pixels at 200 %.
  const zoomed = await open('/', { width: 720, height: 450, zoom: 2 })
  await expectWithinWidth(zoomed.page)
  await expectAccessible(zoomed.page)
  await screenshot(zoomed.page, 'gallery-zoomed')
  const { page } = await open('/', { width: 390, touch: true })
  await expectFingerSized(page)
  await expectWithinWidth(page)
  const offCentre = await page
    .locator('.mantine-Button-root:not([data-loading]) .mantine-Button-label:visible')
    .evaluateAll((labels) =>
      labels
        .filter((label) => {
          const [own, whole] = [label, label.closest('.mantine-Button-root') as Element].map((part) => {
            const { top, bottom } = part.getBoundingClientRect()
            return (top + bottom) / 2
          }) as [number, number]
          return Math.abs(own - whole) > 1
        })
        .map((label) => label.textContent),
    )
  expect(offCentre).toEqual([])
}, 60_000)

test('paper shows the page in light colours, without its frame', async () => {
  const { page } = await open('/', { scheme: 'dark' })
  await page.emulateMedia({ media: 'print' })
  await page.locator('html[data-mantine-color-scheme=light]').waitFor({ state: 'attached' })
  for (const part of ['.frame-header', '.frame-navigation', '.skip'])
    expect([part, await page.locator(part).isVisible()]).toEqual([part, false])
  const { x } = (await page.getByRole('heading', { level: 1 }).boundingBox()) ?? { x: -1 }
  expect(x).toBe(0)
  await page.emulateMedia({ media: 'screen' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
}, 60_000)

test('forced colours show what is on, selected and bordered, unlike what is not', async () => {
  const { page } = await open()
  await page.emulateMedia({ forcedColors: 'active' })
  const colourOf = (text: string) =>
    page.evaluate((colour) => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = colour
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    }, text)
  const backgroundOf = (part: string) =>
    page
      .locator(part)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
    const highlight = await colourOf('Highlight')
    for (const [on, off] of [
      [
        '.mantine-Checkbox-input:checked',
        '.mantine-Checkbox-input:not(:checked, :indeterminate, [data-indeterminate])',
      ],
      [
        '.mantine-Switch-input:checked + .mantine-Switch-track',
        '.mantine-Switch-input:not(:checked) + .mantine-Switch-track',
      ],
      ['.mantine-Radio-radio:checked', '.mantine-Radio-radio:not(:checked)'],
      ['.mantine-SegmentedControl-label[data-active]', '.mantine-SegmentedControl-label:not([data-active])'],
      ['.frame-link[aria-current]', '.frame-link:not([aria-current])'],
      ['.mantine-Pagination-control[data-active]', '.mantine-Pagination-control:not([data-active])'],
    ] as const) {
      expect([on, await backgroundOf(on)]).toEqual([on, highlight])
      expect([off, await backgroundOf(off)]).not.toEqual([off, highlight])
    }
  }
  const borderless = await page
    .locator('.mantine-Button-root:visible, .mantine-Input-input:visible, .mantine-Paper-root')
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.matches('.mantine-Input-input, .mantine-Paper-root'))
        .filter((part) => getComputedStyle(part).borderTopWidth === '0px')
        .map((part) => part.outerHTML.slice(0, 100)),
    )
  expect(borderless).toEqual([])
  await screenshot(page, 'gallery-forced')
}, 60_000)

/** What moves, by the button that shows it. */
const MOVING = {
  Menu: 'Menu-dropdown',
  'Language and colours': 'Popover-dropdown',
  Dialog: 'Modal-content',
  Drawer: 'Drawer-content',
  Notifications: 'toast',
} as const

for (const motion of [true, false])
  test(`dialogs, menus, notifications and the tick of a copy ${motion ? 'move for at most 180 ms' : 'do not move with reduced motion'}`, async () => {
    const { page } = await open('/', { motion })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepToasts(page)
    const durations = await page.evaluateHandle(() => {
      const seen = new Map<string, number>()
      for (const type of ['transitionrun', 'animationstart'])
        addEventListener(
          type,
          ({ target }) => {
            for (const animation of (target as Element).getAnimations()) {
              const { duration, iterations } = animation.effect?.getComputedTiming() ?? {}
              // Progress goes on for as long as the work does.
              if (iterations !== Number.POSITIVE_INFINITY)
                seen.set((target as Element).getAttribute('class') ?? '', Number(duration))
            }
          },
          true,
        )
      return seen
    })
    /** Waits until a part with this class has moved to its place. */
    const hasMoved = (part: string) =>
      page.waitForFunction(
        ({ seen, className }) =>
          [...seen.keys()].some((name) => name.includes(className)) &&
          document
            .getAnimations()
            .every(({ effect }) => effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY),
        { seen: durations, className: part },
      )
    await openAll(page, async (name) => motion && hasMoved(MOVING[name as keyof typeof MOVING]))
    await page.getByRole('button', { name: 'Copy spring-sale' }).first().press('Enter')
    await page.locator('.tick').waitFor()
    if (motion) await hasMoved('tick')
    const moved = await durations.evaluate((seen) => [...seen])
    if (motion) expect(moved.filter(([, duration]) => duration > 180)).toEqual([])
    else expect(moved).toEqual([])
  }, 60_000)

test('weights are 400, 500 and 600, and rows of tables are 40 to 48 px high', async () => {
  const { page } = await open()
  const weights = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((part) => [...part.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()))
      .map((part) => [getComputedStyle(part).fontWeight, part.outerHTML.slice(0, 100)] as const),
  )
  expect(new Set(weights.map(([weight]) => weight))).toEqual(new Set(['400', '500', '600']))
  const heights = await page
    .locator('tbody tr, [role=status] > .mantine-Skeleton-root')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(heights.length).toBeGreaterThan(3)
  expect(heights.filter((height) => height < 40 || height > 48)).toEqual([])
}, 60_000)

test('the brand leads to the other product, and an unknown address carries the mark', async () => {
  const { page } = await open('/nowhere')
  await page.getByRole('button', { name: 'Latchkey Gallery: switch product' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Open Latchkey Rooms' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.locator('main .brand-mark svg').boundingBox()).toMatchObject({ width: 40, height: 40 })
  await page.getByRole('link', { name: 'Go to all parts' }).click()
  await page.locator('h1:focus', { hasText: 'All parts' }).waitFor()
}, 60_000)

test('both products have a manifest with icons that exist and are as large as it says', async () => {
  for (const product of ['links', 'rooms']) {
    const at = (path: string) => fetch(new URL(`/${product}${path}`, server.url))
    const manifest = (await (await at('/manifest.webmanifest')).json()) as {
      icons: { src: string; sizes: string; type: string }[]
    }
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512'])
    for (const { src, sizes, type } of manifest.icons) {
      const answer = await at(src)
      expect([src, answer.status, answer.headers.get('content-type')]).toEqual([src, 200, type])
      if (type !== 'image/png') continue
      // The width and height in the header of a PNG file.
      const bytes = new DataView(await answer.arrayBuffer())
      expect([src, `${bytes.getUint32(16)}x${bytes.getUint32(20)}`]).toEqual([src, sizes])
    }
  }
})

test('the gallery shows every shared part and every colour and shadow of the theme', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
  const sources = [...new Bun.Glob('*.tsx').scanSync(join(import.meta.dirname, 'gallery'))]
  const gallery = sources.map((name) => read(`gallery/${name}`)).join('\n')
  const parts = [...new Bun.Glob('*.tsx').scanSync(join(import.meta.dirname, '../src/parts'))]
  // The element of all buttons, and the popover of the appearance menu with its controls, are in these.
  const within = ['native-button.tsx', 'appearance.tsx', 'appearance-popover.tsx', 'layer.tsx']
  const own = parts.filter((name) => !within.includes(name))
  expect(own.length).toBeGreaterThan(3)
  expect(own.filter((name) => !gallery.includes(`@latchkey/web/parts/${name.slice(0, -4)}'`))).toEqual([])

  const [, dark = ''] = /scheme='dark'\] \{([^}]*)\}/.exec(read('../src/theme.css')) ?? []
  const tokens = [...dark.matchAll(/--(?!mantine)([\w-]+):/g)].map(([, name = '']) => name)
  expect(tokens.length).toBeGreaterThan(20)
  const { page } = await open()
  const words = new Set((await page.locator('main').innerText()).split(/\s+/))
  expect(tokens.filter((name) => !words.has(name))).toEqual([])
}, 60_000)
