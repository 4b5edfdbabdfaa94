import { describe, expect, test } from 'bun:test'
import { startPostgres } from '../../../../scripts/postgres.ts'
import { follow } from './follow.ts'
import { PAGES, type Page, ROOT, readPage } from './page.ts'

/** Most of a page's time is waiting for a service to start. */
const AT_ONCE = 3
/** With the time that a page waits for its turn. */
const PATIENCE_MS = 300_000
/** What this machine has of what pages need; `npm test` says what is missing, and CI has all of it. */
function has(need: string): boolean {
  if (need === 'PostgreSQL') return Boolean(process.env['LATCHKEY_TEST_POSTGRES']) && has('pg_dump')
  if (need === 'Python') return Boolean(process.env['LATCHKEY_TEST_PYTHON_TOOLS'])
  return Bun.which(need, { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }) !== null
}
const isPossible = ({ needs }: Page) => needs.every(has)
const pages = PAGES.map(readPage)

describe.concurrent('what a document says is so:', () => {
  const turns = Array.from({ length: AT_ONCE }, () => Promise.resolve())
  let next = 0

  for (const page of pages.filter(({ steps }) => steps.length > 0))
    test.skipIf(!isPossible(page))(
      `${page.path}, each of its ${page.steps.length} steps from top to bottom`,
      async () => {
        const at = next++ % AT_ONCE
        const before = turns[at]
        const { promise: turn, resolve: done } = Promise.withResolvers<void>()
        turns[at] = turn
        await before
        expect(await followed(page).finally(done)).toBeUndefined()
      },
      PATIENCE_MS,
    )
})

async function followed(page: Page): Promise<string | undefined> {
  if (!page.needs.includes('PostgreSQL')) return follow(page)
  const server = await startPostgres()
  try {
    return await follow(page, server?.url)
  } finally {
    await server?.stop()
  }
}

test('every block and comment keeps to the convention of CONTRIBUTING.md', () => {
  expect(pages.flatMap(({ problems }) => problems)).toEqual([])
})

test('what is not run says why, and is listed here', () => {
  const left = pages.flatMap((page) => page.left.map((each) => `${page.path}:${each.line} ${each.reason}`))
  console.log([`${left.length} blocks of the documents are not run:`, ...left].join('\n  '))
  expect(left.length).toBeLessThan(40)
})

test('npx finds the command in a clone', async () => {
  const child = Bun.spawn(['npx', 'latchkey', '--version'], { cwd: ROOT, stdout: 'pipe', stderr: 'ignore' })
  expect((await new Response(child.stdout).text()).trim()).toMatch(/^\d+\.\d+\.\d+$/)
})
