import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, partsOf } from './page.ts'

interface Sent {
  links: object[]
  /** The URL of the next page, or an empty string. */
  next: string
  pagesCount: number
}

/** The API of each program: its origin, and the format of a page of links. */
const PROGRAMS = {
  dub: { site: 'https://api.dub.co', page: ({ links }: Sent) => links },
  kutt: { site: 'https://kutt.example', page: ({ links }: Sent) => ({ data: links }) },
  shlink: {
    site: 'https://s.example',
    page: ({ links, pagesCount }: Sent) => ({ shortUrls: { data: links, pagination: { pagesCount } } }),
  },
  bitly: {
    site: 'https://api-ssl.bitly.com',
    page: ({ links, next }: Sent) => ({ links, pagination: { next } }),
  },
} as const
type Program = keyof typeof PROGRAMS
/** Programs whose API names the last page. The others need one more request, for an empty page. */
const WITH_LAST_PAGE: readonly Program[] = ['shlink', 'bitly']

/** The loop of a page as a shell script. */
function loopOf(program: Program): string {
  const parts = partsOf(readFileSync(join(ROOT, `docs/moving-in/${program}.md`), 'utf8'))
  const loops = parts.flatMap((part) =>
    'body' in part && part.language === 'console' && /^> done$/m.test(part.body) ? [part.body] : [],
  )
  expect(loops).toHaveLength(1)
  return (loops[0] ?? '').replaceAll(/^[$>] /gm, '')
}

interface LoopResult {
  stderr: string
  ids: number[]
  requestCount: number
}

/**
 * Runs the loop of a program against an API with these responses in turn: a status, or ids of
 * links.
 */
async function runLoop(program: Program, answers: readonly (number | number[])[]): Promise<LoopResult> {
  const { site, page } = PROGRAMS[program]
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-moving-'))
  let requestCount = 0
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const answer = answers[requestCount++] ?? []
      if (typeof answer === 'number') return Response.json({ error: { code: 'refused' } }, { status: answer })
      const next = requestCount < answers.length ? new URL('/next', url).href : ''
      return Response.json(page({ links: answer.map((id) => ({ id })), next, pagesCount: answers.length }))
    },
  })
  const child = Bun.spawn(['bash', '-c', loopOf(program).replaceAll(site, server.url.origin)], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'pipe',
    // An endless loop fails its own test instead of blocking the others.
    timeout: 20_000,
  })
  const stderr = await new Response(child.stderr).text()
  await child.exited
  const file = Bun.file(join(folder, `${program}.json`))
  const text = (await file.exists()) ? await file.text() : ''
  rmSync(folder, { recursive: true })
  return { stderr, requestCount, ids: [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)) }
}

describe.skipIf(!Bun.which('jq') || !Bun.which('curl'))('the download loop of', () => {
  for (const program of Object.keys(PROGRAMS) as Program[]) {
    test(`${program} downloads every page and ends`, async () => {
      const { stderr, ids, requestCount } = await runLoop(program, [[1, 2], [3, 4], [5]])
      expect([stderr, ids, requestCount]).toEqual([
        '',
        [1, 2, 3, 4, 5],
        WITH_LAST_PAGE.includes(program) ? 3 : 4,
      ])
    })

    test(`${program} ends with an error if the key is wrong`, async () => {
      const { stderr, ids, requestCount } = await runLoop(program, [401, 401, 401])
      expect([stderr.endsWith(' failed\n'), ids, requestCount]).toEqual([true, [], 1])
    })

    test(`${program} ends with an error when it is rate limited, instead of omitting a page`, async () => {
      const { stderr, ids, requestCount } = await runLoop(program, [[1, 2], 429, [5]])
      expect([stderr.endsWith(' failed\n'), ids, requestCount]).toEqual([true, [1, 2], 2])
    })
  }
})
