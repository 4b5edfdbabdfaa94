import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestPostgres, startPostgres } from '../../../../scripts/postgres.ts'
import { follow } from './follow.ts'
import { type Need, PAGES, type Page, ROOT, readPage } from './page.ts'

/** Most of a page's time is waiting for a service to start. */
const AT_ONCE = 3
const PATIENCE_MS = 120_000
/** What this machine has of what pages need; `npm test` says what is missing, and CI has all of it. */
const HAS: Record<Need, boolean> = {
  PostgreSQL: Boolean(process.env['LATCHKEY_TEST_POSTGRES']),
  Python: Boolean(process.env['LATCHKEY_TEST_PYTHON_TOOLS']),
  Prometheus: Bun.which('promtool') !== null,
}
const isPossible = ({ needs }: Page) => needs.every((need) => HAS[need])
const usesPostgres = ({ needs }: Page) => needs.includes('PostgreSQL')

describe('what a document says is so', () => {
  const pages = PAGES.map(readPage)
  const runs = new Map<string, Promise<string | undefined>>()
  let server: TestPostgres | undefined

  beforeAll(async () => {
    const waiting = pages.filter((page) => page.steps.length > 0 && isPossible(page))
    if (waiting.some(usesPostgres)) server = await startPostgres()
    const free = Array.from({ length: AT_ONCE }, () => Promise.resolve<string | undefined>(undefined))
    for (const [at, page] of waiting.entries()) {
      const run = Promise.resolve(free[at % AT_ONCE]).then(() =>
        follow(page, usesPostgres(page) ? server?.url : undefined),
      )
      runs.set(page.path, run)
      free[at % AT_ONCE] = run
    }
  }, PATIENCE_MS)
  afterAll(async () => {
    await Promise.allSettled(runs.values())
    await server?.stop()
  }, PATIENCE_MS)

  for (const page of pages.filter(({ steps }) => steps.length > 0))
    test.skipIf(!isPossible(page))(
      `${page.path}: each of its ${page.steps.length} steps, from top to bottom`,
      async () => {
        expect(await runs.get(page.path)).toBeUndefined()
      },
      PATIENCE_MS,
    )

  test('every block and comment keeps to the convention of CONTRIBUTING.md', () => {
    expect(pages.flatMap(({ problems }) => problems)).toEqual([])
  })

  test('what is not run says why, and is listed here', () => {
    const left = pages.flatMap((page) => page.left.map((each) => `${page.path}:${each.line} ${each.reason}`))
    console.log([`${left.length} blocks of the documents are not run:`, ...left].join('\n  '))
    expect(left.length).toBeLessThan(30)
  })
})

test('npx finds the command in a clone', async () => {
  const child = Bun.spawn(['npx', 'latchkey', '--version'], { cwd: ROOT, stdout: 'pipe', stderr: 'ignore' })
  expect((await new Response(child.stdout).text()).trim()).toMatch(/^\d+\.\d+\.\d+$/)
})
