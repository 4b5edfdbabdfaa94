import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Workspace } from './running.ts'

const LINKS = 2_000
const CLICKS = 60_000

function countOf(path: string, statement: string): number {
  const file = new SqliteFile(path, { readonly: true })
  file.run('pragma busy_timeout = 5000')
  try {
    return Object.values(file.query<Record<string, number>, []>(statement).get() ?? {})[0] ?? 0
  } finally {
    file.close()
  }
}

async function until(holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error('What was waited for did not happen')
    await Bun.sleep(2)
  }
}

describe('latchkey links import and export', () => {
  const workspace = new Workspace()
  const copy = new Workspace()
  afterAll(() => {
    workspace.remove()
    copy.remove()
  })
  const importing = (file: string, format: string) => [
    'links',
    'import',
    file,
    '--format',
    format,
    '--owner',
    'ada',
  ]

  test('L21.2: good rows are stored, bad rows are reported on stderr with their line, and the exit code is 1', async () => {
    const file = await workspace.write(
      'yourls.csv',
      'keyword,url,title,timestamp,ip,clicks\nok,https://example.com/,Fine,2020-01-31 12:00:00,::1,7\nOK,https://example.com/x,,,,\njs,javascript:alert(1),,,,5\n',
    )
    const args = [...importing(file, 'yourls'), '--legacy', 'off']
    const dry = await workspace.run([...args, '--dry-run'])
    const { code, out, err } = await workspace.run(args)
    expect([code, out]).toEqual([1, ''])
    expect(err.split('\n')).toEqual([
      'line 3: conflict: slug "ok" already redirects to https://example.com; "OK" differs from "ok" only in case: its visitors land at https://example.com',
      'line 4: url must use http or https',
      'imported 1, skipped 0, conflicts 1, invalid 1',
      'short URLs that differ from another one only in case: 1; their visitors land at its destination',
      '  line 3: OK (as ok) lands at https://example.com',
      'click totals without times cannot be imported: 7',
      '',
    ])
    expect(dry).toEqual({
      code,
      out,
      err: err.replace('invalid 1\n', 'invalid 1 (dry run: nothing was stored)\n'),
    })
    const again = await workspace.run(args)
    expect(again.err).toContain('imported 0, skipped 1, conflicts 1, invalid 1')
  })

  test(`L21.7: ${LINKS} links copied to another instance by stdin and stdout give the same export`, async () => {
    const rows = Array.from(
      { length: LINKS },
      (_, at) => `https://example.com/${at},S-${at},"Label ${at}, ""ö"""\n`,
    )
    const { code, err } = await workspace.run(importing('-', 'csv'), {
      stdin: `url,slug,label\n${rows.join('')}`,
    })
    expect([code, err]).toEqual([0, `imported ${LINKS}, skipped 0, conflicts 0, invalid 0\n`])
    const exported = await workspace.run(['links', 'export'])
    expect([exported.code, exported.err]).toEqual([0, ''])
    expect(exported.out.trimEnd().split('\n')).toHaveLength(LINKS + 1)
    const imported = await copy.run(importing('-', 'ndjson'), { stdin: exported.out })
    expect([imported.code, imported.out]).toEqual([0, ''])
    expect((await copy.run(['links', 'export', '-'])).out).toBe(exported.out)
    const csv = await workspace.run(['links', 'export', '--format', 'csv'])
    expect((await copy.run(['links', 'export', '--format', 'csv'])).out).toBe(csv.out)
    const again = await copy.run(importing('-', 'csv'), { stdin: csv.out })
    expect([again.code, again.err]).toEqual([0, `imported 0, skipped ${LINKS + 1}, conflicts 0, invalid 0\n`])
  }, 60_000)

  test('an export to a closed pipe exits 1 with one sentence', async () => {
    const child = workspace.spawn(['links', 'export'])
    await child.stdin.end()
    const reader = child.stdout.getReader()
    await reader.read()
    await reader.cancel()
    expect(await new Response(child.stderr).text()).toBe('The output pipe was closed early\n')
    expect(await child.exited).toBe(1)
  }, 30_000)

  test('an import beside a running service affects its next redirect', async () => {
    const service = await copy.start(['links'], /"listening"/)
    const visit = () => fetch(`${service.origin}/beside`, { redirect: 'manual' })
    expect((await visit()).status).toBe(404)
    expect(
      (await copy.run(importing('-', 'csv'), { stdin: 'url,slug\nhttps://example.com/b,Beside\n' })).code,
    ).toBe(0)
    expect((await visit()).headers.get('location')).toBe('https://example.com/b')
    expect(await service.stop()).toBe(0)
  })

  test('nothing is stored if the --report cannot be written or the file is a folder', async () => {
    const file = await workspace.write('one.csv', 'url,slug\nhttps://example.com/,unreported\n')
    const report = await workspace.run([...importing(file, 'csv'), '--report', '/nowhere/report.ndjson'])
    expect(report).toEqual({ code: 1, out: '', err: '/nowhere/report.ndjson does not exist\n' })
    const folder = await workspace.run(importing('/', 'csv'))
    expect([folder.code, folder.err]).toEqual([1, 'The given path is a folder, not a file\n'])
    expect((await workspace.run(['links', 'export'])).out).not.toContain('unreported')
  })

  test('a --report never overwrites a file with content, such as the file to import', async () => {
    const text = 'url,slug\nhttps://example.com/,unreplaced\n'
    const file = await workspace.write('both.csv', text)
    const refused = await workspace.run([...importing(file, 'csv'), '--report', 'both.csv'])
    expect(refused).toEqual({ code: 1, out: '', err: 'both.csv already exists\n' })
    expect(await Bun.file(file).text()).toBe(text)
    expect((await workspace.run(['links', 'export'])).out).not.toContain('unreplaced')
    const empty = await workspace.write('empty.ndjson', '')
    expect((await workspace.run([...importing(file, 'csv'), '--report', empty])).code).toBe(0)
    expect(await Bun.file(empty).text()).toContain('unreplaced')
  })

  test('--on-conflict fail stores nothing unless every row is good, and --report lists each row', async () => {
    const fresh = new Workspace()
    try {
      const args = (file: string, report = 'rows.ndjson') => [
        ...importing(file, 'csv'),
        '--on-conflict',
        'fail',
        '--report',
        report,
      ]
      const bad = await fresh.write('bad.csv', 'url,slug\nhttps://example.com/1,a\nhttps://example.com/2,A\n')
      const refused = await fresh.run(args(bad))
      expect(refused).toEqual({
        code: 1,
        out: '',
        err: `line 3: conflict: slug "a" already redirects to https://example.com/1; "A" differs from "a" only in case: its visitors land at https://example.com/1
imported 1, skipped 0, conflicts 1, invalid 0 (refused: nothing was stored)
short URLs that differ from another one only in case: 1; their visitors land at its destination
  line 3: A (as a) lands at https://example.com/1
`,
      })
      expect((await fresh.run(['links', 'export'])).out).toBe('')
      const lines = (await Bun.file(fresh.path('rows.ndjson')).text()).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        { line: 2, result: 'imported', slug: 'a', url: 'https://example.com/1' },
        {
          line: 3,
          result: 'conflict',
          slug: 'a',
          url: 'https://example.com/2',
          reason:
            'slug "a" already redirects to https://example.com/1; "A" differs from "a" only in case: its visitors land at https://example.com/1',
          reasons: [
            { code: 'slug_taken', slug: 'a', url: 'https://example.com/1' },
            { code: 'slug_case', slug: 'A', other_slug: 'a', url: 'https://example.com/1' },
          ],
        },
        {
          report: {
            dry_run: false,
            imported: 0,
            skipped: 0,
            conflicts: 1,
            bad: 0,
            bundles: 0,
            notes: {},
            legacy_paths: 0,
            click_totals: null,
            case_conflicts: 1,
            first_case_conflicts: [{ line: 3, slug: 'A', other_slug: 'a', url: 'https://example.com/1' }],
          },
        },
      ])
      const good = await fresh.write('good.csv', 'url,slug\nhttps://example.com/1,a\n')
      expect((await fresh.run(args(good, 'good.ndjson'))).err).toBe(
        'imported 1, skipped 0, conflicts 0, invalid 0\n',
      )
      expect((await fresh.run(args('-'))).code).toBe(2)
    } finally {
      fresh.remove()
    }
  })

  test('invalid options are refused with the usage, and nothing is stored', async () => {
    for (const [option, value, problem] of [
      ['--on-conflict', 'ask', '--on-conflict must be one of: report, skip, rename, overwrite, fail'],
      ['--same-url', 'ask', '--same-url must be one of: keep, skip'],
      ['--map', 'url', '--map: "url" is not FIELD=COLUMN'],
      ['--map', 'id=Number', '--map: "id" is not one of: url, slug'],
      ['--map', 'slug=Short,slug=Long', '--map: slug can be mapped to one column only'],
    ] as const) {
      const { code, err } = await workspace.run([...importing('-', 'csv'), option, value])
      expect([code, err]).toEqual([2, expect.stringContaining(problem)])
    }
    expect((await workspace.run([...importing('-', 'kutt'), '--map', 'url=Target'])).code).toBe(2)
  })

  test('a missing file or a folder is reported in one sentence', async () => {
    const missing = await workspace.run(importing('missing.csv', 'csv'))
    expect([missing.code, missing.err]).toEqual([1, `${workspace.path('missing.csv')} does not exist\n`])
    const folder = await workspace.run(importing('.', 'csv'))
    expect(folder.code).toBe(1)
    expect(folder.err.trim().split('\n')).toHaveLength(1)
  })
})

describe('latchkey clicks import', () => {
  const workspace = new Workspace()
  beforeAll(async () => {
    const rows = { stdin: 'url,slug\nhttps://example.com/,one\n' }
    await workspace.run(['links', 'import', '-', '--format', 'csv', '--owner', 'ada'], rows)
  })
  afterAll(() => workspace.remove())

  test('L21.22: reports bad lines with exit 1 and refuses the same file without --again', async () => {
    const lines = [
      { slug: 'one', clicked_at: 1 },
      { slug: 'two', clicked_at: 1 },
      { slug: 'one', clicked_at: 9e9 },
    ]
    const file = await workspace.write(
      'clicks.ndjson',
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
    expect(await workspace.run(['clicks', 'import', file])).toEqual({
      code: 1,
      out: '',
      err: 'line 2: there is no slug "two"\nline 3: clicked_at: is in the future\nimported 1, invalid 2\n',
    })
    expect(await workspace.run(['clicks', 'import', file])).toEqual({
      code: 1,
      out: '',
      err: 'This file was imported before; with --again, its clicks count a second time\n',
    })
    expect(countOf(workspace.database, 'select sum(clicks) from counted_slug')).toBe(1)
    expect((await workspace.run(['clicks', 'import', file, '--again'])).err).toContain(
      'imported 1, invalid 2',
    )
    expect(countOf(workspace.database, 'select sum(clicks) from counted_slug')).toBe(2)
  })

  test('an import that is killed and run again counts every click once', async () => {
    const line = (at: number) => `{"slug":"one","clicked_at":${1_600_000_000 + at}}\n`
    const file = await workspace.write(
      'many.ndjson',
      Array.from({ length: CLICKS }, (_, at) => line(at)).join(''),
    )
    const before = countOf(workspace.database, 'select sum(clicks) from counted_slug')
    const child = workspace.spawn(['clicks', 'import', file])
    await until(() => countOf(workspace.database, 'select sum(clicks) from counted_slug') > before)
    child.kill('SIGKILL')
    await child.exited
    const interrupted = countOf(workspace.database, 'select sum(clicks) from counted_slug') - before
    expect(interrupted).toBeLessThan(CLICKS)
    const { code, err } = await workspace.run(['clicks', 'import', file])
    expect(code).toBe(0)
    expect(err).toBe(
      `resumed after line ${interrupted}, where an earlier run stopped\nimported ${CLICKS - interrupted}, invalid 0\n`,
    )
    for (const statement of [
      'select sum(clicks) from counted_slug',
      'select sum(clicks) from click_hour',
      'select count(*) from click',
    ])
      expect(countOf(workspace.database, statement) - before).toBe(CLICKS)
  }, 60_000)
})
