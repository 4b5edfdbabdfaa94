import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'bun:test'
import { createMessage, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { ROOT, roomPages } from './browser.ts'
import { lines } from './room-page.ts'

const pages = roomPages()

/** Milliseconds of processor time that each task of the page takes while `act` runs. */
async function tasksOf(page: Page, act: () => Promise<void>): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page)
  const events: { name: string; tid: number; pid: number; tdur?: number; args: { name?: string } }[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as object[] as typeof events)))
  await devtools.send('Tracing.start', {
    traceConfig: { includedCategories: ['__metadata', 'disabled-by-default-devtools.timeline'] },
    transferMode: 'ReportEvents',
  })
  await act()
  const ended = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
  await devtools.send('Tracing.end')
  await ended
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isOfPage = ({ pid, tid }: { pid: number; tid: number }) =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid)
  return events
    .filter((event) => event.name === 'RunTask' && isOfPage(event))
    .map(({ tdur = 0 }) => tdur / 1000)
}

beforeAll(async () => {
  await pages.signIn(ROOT)
}, 60_000)

/** The worst that was found by pairs of signs, for each language on which they take long. */
const HOSTILE: readonly (readonly [languages: string, unit: string])[] = [
  ['console bash sh', '<"'],
  ['bash zsh c cpp go java php ruby rust tsx', '"`'],
  ['c cpp java php rust', `"'`],
  ['php ruby tsx js', "`'"],
  ['cpp', "'."],
  ['csharp', '._'],
  ['csharp kotlin', 'a.'],
  ['css', ': '],
  ['css', '(\t'],
  ['ts tsx', '_'],
  ['jsx tsx', '`<a b="'],
  ['html php xml', '<a b'],
  ['diff docker ini json lua markup python sql swift toml yaml', '\\"'],
]

/** The code fits into one message. */
const LENGTH = 1_980

/** A task of hostile code took seconds. One of 100 ms would fail wherever other tests take the processor. */
const MAX_TASK_MS = 1_000

test('R29.3g: code on which the highlighter takes long stays without colours, and the page and other code do not wait', async () => {
  const host = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(host, { name: 'Workshop' })
  const honest = (name: string) => `\`\`\`ts\nconst ${name}: string = 'forty-two' // a comment\n\`\`\``
  await createMessage(host, id, honest('first'))
  for (const [languages, unit] of HOSTILE)
    for (const language of languages.split(' ')) {
      const code = unit.repeat(Math.floor(LENGTH / unit.length))
      await createMessage(host, id, `\`\`\`${language}\n${code}\n\`\`\``)
    }
  await createMessage(host, id, honest('last'))
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.evaluate(() => {
    const tasks: number[] = []
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: 'longtask',
      buffered: true,
    })
    Object.assign(window, { tasks })
  })
  const coloured = (name: string) => lines(page).locator('pre', { hasText: name }).locator('.keyword').first()
  await coloured('last').waitFor()
  const list = page.locator('.messages')
  await list.evaluate(async (messages) => {
    for (let step = 0; step < 200 && messages.scrollTop > 0; step++) {
      messages.scrollBy(0, -300)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })
  await coloured('first').waitFor()
  // Text is there whatever its colours.
  expect(await lines(page).locator('pre').count()).toBeGreaterThan(20)
  // A worker that was ended takes a moment to disappear.
  await until(() => page.workers().length === 1)
  expect(Math.max(0, ...(await page.evaluate<number[]>('tasks')))).toBeLessThan(MAX_TASK_MS)
  expect(errors).toEqual([])
}, 90_000)

test('R35.4: a room opens in many short tasks, also with messages of many parts', async () => {
  const host = await member(pages.service(), 'Hanna Host')
  for (const unit of ['hello ', '`a` ', 'https://a.bc ']) {
    const { id } = await createRoom(host, { name: 'Workshop' })
    for (let number = 0; number < 50; number++)
      await createMessage(host, id, unit.repeat(Math.floor(LENGTH / unit.length)))
    const { page } = await pages.openAs(ALICE, '/account')
    const open = async () => {
      await page.goto(pages.at(`/rooms/${id}`))
      await lines(page).last().waitFor()
      await page.waitForLoadState('networkidle')
    }
    // Compiles the scripts.
    await open()
    const tasks = await tasksOf(page, open)
    const total = tasks.reduce((sum, ms) => sum + ms, 0)
    // The share does not depend on the machine. In one task, all of it took two fifths.
    expect(Math.max(...tasks) / total).toBeLessThan(0.3)
    await page.context().close()
  }
}, 90_000)
