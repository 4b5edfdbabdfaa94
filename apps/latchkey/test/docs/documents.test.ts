import { describe, expect, test } from 'bun:test'
import { startPostgres } from '../../../../scripts/postgres.ts'
import { follow } from './follow.ts'
import { PAGES, type Page, ROOT, readPage } from './page.ts'

/** Pages mostly wait for services to start. */
const AT_ONCE = 3
/** Includes the time that a page waits for the semaphore. */
const TIMEOUT_MS = 1_200_000
/**
 * Whether this machine has a requirement of a page. `npm test` reports missing ones; CI has all.
 */
function has(need: string): boolean {
  if (need === 'PostgreSQL') return Boolean(process.env['LATCHKEY_TEST_POSTGRES']) && has('pg_dump')
  if (need === 'Python') return Boolean(process.env['LATCHKEY_TEST_PYTHON_TOOLS'])
  return Bun.which(need, { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }) !== null
}
const isPossible = ({ needs }: Page) => needs.every(has)
const pages = PAGES.map(readPage)
/** Pages that have changed, of `npm test -- --changed`. Without any, all are followed. */
const changed = new Set(process.env['LATCHKEY_TEST_PAGES']?.split(',').filter(Boolean))
const isFollowed = ({ path, steps }: Page) => steps.length > 0 && (changed.size === 0 || changed.has(path))

describe.concurrent('following a document:', () => {
  for (const page of pages.filter(isFollowed))
    test.skipIf(!isPossible(page))(
      `${page.path}, each of its ${page.steps.length} steps from top to bottom`,
      async () => {
        await acquireSlot()
        expect(await followWithServices(page).finally(pass)).toBeUndefined()
      },
      TIMEOUT_MS,
    )
})

let free = AT_ONCE
const waiting: (() => void)[] = []

/** Acquires one of `AT_ONCE` permits. */
async function acquireSlot(): Promise<void> {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

function pass(): void {
  const next = waiting.shift()
  if (next) next()
  else free++
}

async function followWithServices(page: Page): Promise<string | undefined> {
  if (!page.needs.includes('PostgreSQL')) return follow(page)
  const server = await startPostgres()
  try {
    return await follow(page, server?.url)
  } finally {
    await server?.stop()
  }
}

test('every block and comment follows the convention of CONTRIBUTING.md', () => {
  expect(pages.flatMap(({ problems }) => problems)).toEqual([])
})

test('every block that is not run has a reason, and is listed here', () => {
  const left = pages.flatMap((page) => page.left.map((each) => `${page.path}:${each.line} ${each.reason}`))
  console.log([`${left.length} blocks of the documents are not run:`, ...left].join('\n  '))
  expect(left.length).toBeLessThan(50)
})

test('npx finds the command in a clone', async () => {
  const child = Bun.spawn(['npx', 'latchkey', '--version'], { cwd: ROOT, stdout: 'pipe', stderr: 'ignore' })
  expect((await new Response(child.stdout).text()).trim()).toMatch(/^\d+\.\d+\.\d+$/)
})
