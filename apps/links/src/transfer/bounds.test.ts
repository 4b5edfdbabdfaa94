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

/** What a program names the fields of a link by in its JSON. */
const NAMES: readonly (readonly [format: ImportFormat, url: string, slug: string])[] = [
  ['ndjson', 'url', 'slug'],
  ['shrtnr', 'url', 'slug'],
  ['yourls', 'url', 'keyword'],
  ['kutt', 'target', 'address'],
  ['shlink', 'longUrl', 'shortCode'],
  ['bitly', 'Long URL', 'Link'],
  ['dub', 'url', 'key'],
]

/** A list at the top, which every program's answer may be, or lines. */
function fileWith(format: ImportFormat, entries: readonly string[]): string {
  return format === 'ndjson' ? entries.join('\n') : `[${entries.join(',')}]`
}

async function outcomesOf(format: ImportFormat, file: string): Promise<(string | undefined)[]> {
  const rows = await Array.fromAsync(readRows({ source: fileOf(file, 64 * 1024), format }, defaults))
  return rows.map((row) => ('problem' in row ? row.problem : row.value.custom[0]?.slug))
}

const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)

describe('the bounds of an entry', () => {
  for (const [format, url, slug] of NAMES)
    test(`L21 of ${format}: 32 levels, 50,000 values and 2 MiB, and its neighbours are read`, async () => {
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

  test('of a CSV file: a record of 2 MiB, however much of it is blank, quoted or slugs', async () => {
    const tooLong = 'the record is too long; a quote that never closes does this'
    const file = (cell: string) => `url,slug,custom_slugs\nhttps://example.com/,one,"${cell}"\n`
    expect(await outcomesOf('csv', file(`two ${' '.repeat(1.9 * MIB)}`))).toEqual(['one'])
    for (const filling of ['x', '\n', 'x\n'])
      expect(await outcomesOf('csv', file(filling.repeat((2 * MIB) / filling.length)))).toEqual([tooLong])
    expect(await outcomesOf('csv', file('a,'.repeat(0.9 * MIB)))).toEqual(['has more than 5000 slugs'])
  })

  test('of lists in lists around the entries: what is nested deeper is refused where it is, and no more is read', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read++
        yield Buffer.from('['.repeat(1_000))
      }
    }
    const rows = await Array.fromAsync(readRows({ source: endless(), format: 'kutt' }, defaults))
    expect([rows, read]).toEqual([[{ line: 1, problem: 'is nested more than 32 levels deep' }], 1])
  })
})

describe('an import that others wait for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bounds-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('ends when its sender or its reader makes no move, and says so', async () => {
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

    const patient = new RunningImports(database, url, new SlugSpace(), { readMs: 1 })
    const unreadImport = await patient.start('ann', new AbortController().signal)
    const rows = Array.from({ length: 2_000 }, (_, at) => `https://example.com/${at}\n`)
    await unreadImport.receive(fileOf(`url\n${rows.join('')}`, 64 * 1024))
    const batches = unreadImport.batches({ format: 'csv', dryRun: false, now: 0 })
    const first = await batches.next()
    // Nobody asks for the next rows, so the place is given back by itself.
    while (!(await isFree(patient))) await Bun.sleep(1)
    const outcome = await batches.next().catch((error: Error) => error.message)
    const stored = first.done ? 0 : first.value.report.imported
    expect(outcome).toStartWith(`The answer was not read; the ${stored} links up to line `)
    const { count } = await database.read
      .selectFrom('link')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect([stored > 0, count]).toEqual([true, stored])
    await database.close()
  })

  test('is waited for by its owner’s next one once its sender has hung up, and not before', async () => {
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

  async function isFree(imports: RunningImports): Promise<boolean> {
    try {
      await (await imports.start('ann', new AbortController().signal)).close()
      return true
    } catch {
      return false
    }
  }
})
