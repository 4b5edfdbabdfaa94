import { beforeAll, expect, test } from 'bun:test'
import { createMessage, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { ROOT, roomPages } from './browser.ts'
import { lines } from './room-page.ts'

const pages = roomPages()

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

test('R29.3: code on which the highlighter takes long stays without colours, and the page and other code do not wait', async () => {
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
  expect(page.workers().length).toBe(1)
  expect(Math.max(0, ...(await page.evaluate<number[]>('tasks')))).toBeLessThan(MAX_TASK_MS)
  expect(errors).toEqual([])
}, 90_000)
