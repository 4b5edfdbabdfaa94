import { afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type axe from 'axe-core'
import { type Browser, type Page, chromium } from 'playwright-core'

/**
 * Chromium's headless shell, if available. It takes half as long as Chromium with hidden windows.
 */
const EXECUTABLE =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Devices without a machine that has them, and calls on this machine.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

export interface View {
  width?: number
  height?: number
  /** Device pixels per CSS pixel, such as 2 at 200 % zoom. */
  zoom?: number
  scheme?: 'light' | 'dark'
  /** The browser's preferred language. */
  locale?: string
  /** Shows animations. By default, the browser prefers reduced motion. */
  motion?: boolean
  /** Emulates a phone with a touch screen. */
  touch?: boolean
  /** Opens a profile that no other test gets, for scripts that the test adds to each document. */
  own?: boolean
}

/** One browser for all files of this process, with which it ends. */
let launched: Promise<Browser> | undefined

function launch(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: EXECUTABLE, args: FLAGS })
  return launched
}

/** Pages that no test uses, by the options of their profiles. */
const free = new Map<string, Page[]>()

/**
 * Makes a page as good as a new one: without storage, routes, listeners and permissions. It ends on
 * `blank`, an address without scripts. The page keeps its process and its cached scripts, which
 * saves half the time of opening a page.
 */
async function recycle(page: Page, blank: string): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const event of ['console', 'pageerror', 'request', 'response', 'websocket'] as const)
    page.removeAllListeners(event)
  await page.unrouteAll()
  await context.unrouteAll()
  await context.setOffline(false)
  await context.clearPermissions()
  await context.clearCookies()
  await page.goto(blank)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
}

/** Emulates the view, except for what belongs to the profile of the page. */
async function show(page: Page, { width = 1280, height = 900, scheme = 'light', motion }: View) {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({
    colorScheme: scheme,
    reducedMotion: motion ? 'no-preference' : 'reduce',
    media: null,
    forcedColors: null,
  })
}

/**
 * Opens pages in a real browser for the tests of the calling file: the one of
 * LATCHKEY_TEST_CHROMIUM_SHELL, else of LATCHKEY_TEST_CHROMIUM. `headers` are sent with every request,
 * as by a proxy. With `blank`, the path of a document without scripts, tests get the pages of earlier
 * tests: use it where pages store nothing but cookies and web storage.
 */
export function testBrowser(headers: Record<string, string> = {}, { blank }: { blank?: string } = {}) {
  let opened: { page: Page; url: string; profile: string | undefined }[] = []
  beforeAll(() => launch().then(() => undefined), 60_000)
  beforeEach(() => {
    opened = []
  })
  // An open page reacts to every event, which would slow down the tests that follow.
  afterEach(async () => {
    await Promise.all(
      opened.map(async ({ page, url, profile }) => {
        if (blank === undefined || profile === undefined || page.isClosed()) return page.context().close()
        await recycle(page, new URL(blank, url).href)
        free.set(profile, [...(free.get(profile) ?? []), page])
      }),
    )
  })
  return {
    /**
     * Opens a page in a browser profile without data. `errors` collects errors of the page and its
     * console.
     */
    async open(url: string, view: View = {}) {
      const { zoom = 1, locale, touch = false, own = false } = view
      const options = {
        deviceScaleFactor: zoom,
        extraHTTPHeaders: headers,
        isMobile: touch,
        hasTouch: touch,
        // The time zone of the tests, which compare times with those on the page; not the one of
        // the machine.
        timezoneId: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...(locale !== undefined && { locale }),
      }
      const profile = blank === undefined || own ? undefined : JSON.stringify(options)
      const page =
        (profile !== undefined && free.get(profile)?.pop()) ||
        (await (await (await launch()).newContext(options)).newPage())
      opened.push({ page, url, profile })
      await show(page, view)
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(url)
      await page.locator('h1').waitFor()
      return { page, errors }
    },
  }
}

/**
 * Keeps toasts of this page open until they are answered, however long the machine takes over the
 * checks meanwhile.
 */
export async function keepToasts(page: Page): Promise<void> {
  await page.evaluate(`{
    const { setTimeout } = globalThis
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms > 2_000 ? 2 ** 31 - 1 : ms, ...rest)
  }`)
}

/** Minified, because every checked page parses it again. */
const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dirname), 'utf8')

/** The rules of axe that depend on colours, and therefore on the colour scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Expects no violations from axe, by all rules of WCAG 2.2 AA or by those of `rules`, in the open
 * dialogs, else in the whole page. Axe runs in the page itself: its Playwright package takes four
 * times as long.
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const endMs = performance.now() + 15_000
  let checked = await findViolations(page, rules)
  while (!checked.isFinal && performance.now() < endMs) checked = await findViolations(page, rules)
  expect(checked.violations).toEqual([])
}

/**
 * Runs axe once the page is at rest. `isFinal` is false if the page started to load meanwhile, as by a
 * search that follows its text after a pause: the content of the query before is dimmed then.
 */
async function findViolations(page: Page, rules: readonly string[] | undefined) {
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  // An element that is fading in has no final contrast yet. Endless animations are not awaited, nor
  // those that follow scrolling.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect, timeline }) =>
          playState !== 'running' ||
          timeline !== document.timeline ||
          effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
      ),
  )
  return page.evaluate(async (runOnly) => {
    // A dialog, a toast or the header of a scrolled page covers parts of the targets below it.
    const isCovered =
      scrollY > 0 ||
      document.querySelector('.toast, [role=dialog], .mantine-Menu-dropdown, .mantine-Popover-dropdown') !==
        null
    const dialogs = [...document.querySelectorAll('[role=dialog]')]
    const context = dialogs.length > 0 ? { include: dialogs } : document
    let isFinal = true
    const observer = new MutationObserver(() => {
      isFinal = false
    })
    observer.observe(document, { attributeFilter: ['aria-busy'], subtree: true })
    const results = await (globalThis as unknown as { axe: typeof axe }).axe.run(context, {
      resultTypes: ['violations'],
      // Violations are reported by their HTML. Selectors for every element take long to compute.
      selectors: false,
      ...(runOnly ? { runOnly: [...runOnly] } : { rules: { 'target-size': { enabled: !isCovered } } }),
    })
    observer.disconnect()
    const violations = results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
    return { violations, isFinal: isFinal || violations.length === 0 }
  }, rules)
}

/**
 * Runs `expectAccessible` and `expectWithinWidth` in each of these widths (pixels), and in the last
 * one in the dark too, since colours do not depend on the width. The page is not reloaded for each,
 * which would take most of the time. `name` is the prefix of the screenshots.
 */
export async function expectAccessibleViews(
  page: Page,
  name: string,
  widths: readonly number[] = [1280, 390],
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectAccessibleIn(page, 'light', `${name}-light-${width}`)
    await expectWithinWidth(page)
  }
  await expectAccessibleIn(page, 'dark', `${name}-dark-${widths.at(-1)}`)
}

/** Runs `expectAccessible` in this colour scheme. In the dark, only colours are checked again. */
export async function expectAccessibleIn(page: Page, scheme: 'light' | 'dark', name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' })
  await screenshot(page, name)
  await expectAccessible(page, scheme === 'dark' ? COLOR_RULES : undefined)
}

/**
 * Waits until the open menu has the focus for good: Mantine sets it twice shortly after a menu appears,
 * and a key between them would go to another item.
 */
export async function waitForMenu(page: Page): Promise<void> {
  await page.getByRole('menu').locator(':focus').waitFor()
  await page.evaluate(
    () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}

/** Chooses from the open menu with the keyboard. */
export async function pressMenuItem(page: Page, name: string): Promise<void> {
  await waitForMenu(page)
  await page.getByRole('menuitem', { name, exact: true }).press('Enter')
}

/**
 * Finds parts of the page that are cut off at its sides or scroll sideways: the HTML of the parts,
 * and the overflow of the page itself in pixels.
 */
function findBeyondWidth(page: Page): Promise<{ page: number; parts: string[] }> {
  return page.evaluate(() => {
    // Deliberately shortened text, such as a long URL, may continue out of sight.
    const isShortened = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).textOverflow === 'ellipsis' || isShortened(element.parentElement))
    const isCut = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 0 && (left < -0.5 || right > innerWidth + 0.5) && !isShortened(element.parentElement)
    }
    const isLosing = (element: Element) => {
      const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX)
      return isCut(element) || (scrolls && element.scrollWidth > element.clientWidth)
    }
    // A line of tabs may scroll.
    const inTabs = '[role=tablist], [role=tablist] *'
    const parts = [
      ...document.querySelectorAll(`:is(main, main *, [role=dialog], [role=dialog] *):not(${inTabs})`),
    ]
    return {
      page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      parts: parts.filter((part) => isLosing(part)).map((part) => part.outerHTML.slice(0, 200)),
    }
  })
}

/**
 * Expects that no part of the page is cut off at its sides and that neither the page nor a part of
 * it scrolls sideways. A chart takes a moment to follow a new width.
 */
export async function expectWithinWidth(page: Page): Promise<void> {
  const endMs = performance.now() + 5_000
  let beyond = await findBeyondWidth(page)
  while ((beyond.page > 0 || beyond.parts.length > 0) && performance.now() < endMs)
    beyond = await findBeyondWidth(page)
  expect(beyond).toEqual({ page: 0, parts: [] })
}

/** Expects controls large enough for a finger, and no control that covers another. */
export async function expectFingerSized(page: Page): Promise<void> {
  const small = await page.evaluate(() => {
    const all = [...document.querySelectorAll('button, [role=menuitem], .mantine-Input-input')]
    const boxes = all
      .map((part) => ({ html: part.outerHTML.slice(0, 200), box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1)
    return boxes.filter(
      ({ box }) =>
        Math.min(box.width, box.height) < 43.5 ||
        boxes.some(
          ({ box: other }) =>
            other !== box &&
            Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
            Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 1,
        ),
    )
  })
  expect(small).toEqual([])
  // Also beside a checkbox without a label, as far as a finger may miss.
  const missed = await page.locator(':is(td, th) input[type=checkbox]').evaluateAll((boxes) =>
    boxes.filter((box) => {
      const { x, y, width, height } = box.getBoundingClientRect()
      return [-21, 21].some((off) =>
        [
          [off, 0],
          [0, off],
        ].some(
          ([dx = 0, dy = 0]) => document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy) !== box,
        ),
      )
    }),
  )
  expect(missed).toHaveLength(0)
}

/** Saves a screenshot of the page for review, if LATCHKEY_TEST_SHOTS names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['LATCHKEY_TEST_SHOTS']
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
