import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SlugSpace } from '../links/slugs/generator.ts'
import { type ImportFormat, readRows } from './formats.ts'
import { RunningImports } from './running-imports.ts'
import { fileOf, openMigrated } from './testing.ts'

const MIB = 1024 ** 2
const defaults = { owner: 'ann', now: 0 }

/** Names of a link's fields in the JSON of each program. */
const NAMES: readonly (readonly [format: ImportFormat, url: string, slug: string])[] = [
  ['ndjson', 'url', 'slug'],
  ['shrtnr', 'url', 'slug'],
  ['yourls', 'url', 'keyword'],
  ['kutt', 'target', 'address'],
  ['shlink', 'longUrl', 'shortCode'],
  ['bitly', 'Long URL', 'Link'],
  ['dub', 'url', 'key'],
  ['shortio', 'originalURL', 'path'],
]

/** A top-level list, which the answer of every program may be, or lines. */
function fileWith(format: ImportFormat, entries: readonly string[]): string {
  return format === 'ndjson' ? entries.join('\n') : `[${entries.join(',')}]`
}

async function outcomesOf(format: ImportFormat, file: string): Promise<(string | undefined)[]> {
  const rows = await Array.fromAsync(readRows({ source: fileOf(file, 64 * 1024), format }, defaults))
  return rows.map((row) => ('problem' in row ? row.problem.text : row.value.custom[0]?.slug))
}

const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)

describe('the limits of an entry', () => {
  for (const [format, url, slug] of NAMES)
    test(`L21.11 refuses only the ${format} entries over 32 levels, 50,000 values or 2 MiB`, async () => {
      const entry = (name: string, more: string) =>
        `{"${url}":"https://example.com/${name}","${slug}":"${name}","more":${more}}`
      const file = fileWith(format, [
        entry('one', levels(31)),
        entry('two', levels(32)),
        entry('three', `[${'0,'.repeat(50_000)}0]`),
        entry('four', '[]'),
        entry('five', `"${'x'.repeat(1.9 * MIB)}"`),
      ])
      expect(await outcomesOf(format, file)).toEqual([
        'one',
        'is nested more than 32 levels deep',
        'has more than 50000 values',
        'four',
        'five',
      ])
      const long = fileWith(format, [entry('one', '[]'), entry('two', `"${'x'.repeat(2 * MIB)}"`)])
      const end = format === 'ndjson' ? ', and nothing after it is read' : ''
      expect(await outcomesOf(format, long)).toEqual(['one', `is longer than 2 MiB${end}`])
    })

  test('a CSV record may have 2 MiB, whatever it contains', async () => {
    const tooLong = 'the record is too long: a closing quote may be missing'
    const file = (cell: string) => `url,slug,custom_slugs\nhttps://example.com/,one,"${cell}"\n`
    expect(await outcomesOf('csv', file(`two ${' '.repeat(1.9 * MIB)}`))).toEqual(['one'])
    for (const filling of ['x', '\n', 'x\n'])
      expect(await outcomesOf('csv', file(filling.repeat((2 * MIB) / filling.length)))).toEqual([tooLong])
    expect(await outcomesOf('csv', file('a,'.repeat(0.9 * MIB)))).toEqual(['has more than 5000 slugs'])
  })

  test('a file nested too deep around its entries is refused at that line, and nothing after it is read', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read++
        yield Buffer.from('['.repeat(1_000))
      }
    }
    const rows = await Array.fromAsync(readRows({ source: endless(), format: 'kutt' }, defaults))
    expect(rows).toEqual([
      { line: 1, problem: { code: 'too_deep', text: 'is nested more than 32 levels deep' } },
    ])
    expect(read).toBeLessThan(10)
  })
})

describe('an import for which others wait', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bounds-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('ends if its sender or its reader is idle, and reports it', async () => {
    const url = `sqlite:${join(folder, 'links.db')}`
    const database = await openMigrated(url)
    const imports = new RunningImports(database, url, new SlugSpace(), { uploadMs: 1, readMs: 1 })
    const startImport = () => imports.start('ann', new AbortController().signal)
    const stalledImport = await startImport()
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
    expect(await stalledImport.receive(never).catch((error: Error) => error.message)).toBe(
      'request: the upload broke off; nothing was changed',
    )
    await stalledImport.close()

    const slowReads = new RunningImports(database, url, new SlugSpace(), { readMs: 1 })
    const unreadImport = await slowReads.start('ann', new AbortController().signal)
    const rows = Array.from({ length: 2_000 }, (_, at) => `https://example.com/${at}\n`)
    await unreadImport.receive(fileOf(`url\n${rows.join('')}`, 64 * 1024))
    const batches = unreadImport.batches({ format: 'csv', dryRun: false, now: 0 })
    const first = await batches.next()
    // No reader asks for the next rows, so the import must release its place itself.
    while (!(await isFree(slowReads))) await Bun.sleep(1)
    const outcome = await batches.next().catch((error: Error) => error.message)
    const stored = first.done ? 0 : first.value.report.imported
    expect(outcome).toStartWith(`The response was not read; the ${stored} links up to line `)
    const { count } = await database.read
      .selectFrom('link')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect([stored > 0, count]).toEqual([true, stored])
    await database.close()
  })

  test('is awaited by the next import of its owner once its sender has hung up, and not before', async () => {
    const url = `sqlite:${join(folder, 'next.db')}`
    const database = await openMigrated(url)
    const imports = new RunningImports(database, url, new SlugSpace())
    const sender = new AbortController()
    const first = await imports.start('ann', sender.signal)
    await first.receive(fileOf('url\nhttps://example.com/a\n', 64))
    const batches = first.batches({ format: 'csv', dryRun: true, now: 0 })
    await batches.next()
    expect(await isFree(imports)).toBe(false)
    sender.abort()
    expect(await isFree(imports)).toBe(true)
    await database.close()
  })

  test('that has stored its last row succeeds although the service is stopping', async () => {
    const url = `sqlite:${join(folder, 'stopping.db')}`
    const database = await openMigrated(url)
    for (const [rows, ending] of [
      [3, 'done'],
      [2_000, /^The service is stopping; the \d+ links up to line \d+ were imported/],
    ] as const) {
      const imports = new RunningImports(database, url, new SlugSpace())
      const running = await imports.start('ann', new AbortController().signal)
      const lines = Array.from({ length: rows }, (_, at) => `https://example.com/${rows}-${at}\n`)
      await running.receive(fileOf(`url\n${lines.join('')}`, 64 * 1024))
      const batches = running.batches({ format: 'csv', dryRun: false, now: 0 })
      await batches.next()
      imports.drain()
      const outcome = await batches.next().then(
        ({ done }) => (done ? 'done' : 'another batch'),
        (error: Error) => error.message,
      )
      expect(outcome).toMatch(ending)
    }
    await database.close()
  })

  async function isFree(imports: RunningImports): Promise<boolean> {
    try {
      await (await imports.start('ann', new AbortController().signal)).close()
      return true
    } catch {
      return false
    }
  }
})
