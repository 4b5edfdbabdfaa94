import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspectFile } from './inspect.ts'
import { suggestFields } from './mapping.ts'
import { fileOf } from './testing.ts'

const SAMPLES = join(import.meta.dirname, '../../../../docs/moving-in/samples')
const inspectText = (text: string | Uint8Array) => inspectFile(fileOf(text))

test('the export of each program is recognised, as CSV and as JSON, whole or cut off', async () => {
  for (const [name, format] of [
    ['bitly.json', 'bitly'],
    ['dub.csv', 'dub'],
    ['dub.json', 'dub'],
    ['kutt.csv', 'kutt'],
    ['kutt.json', 'kutt'],
    ['shlink.csv', 'shlink'],
    ['shlink.json', 'shlink'],
    ['shortio.json', 'shortio'],
    ['shrtnr.json', 'shrtnr'],
    ['table.csv', 'csv'],
    ['yourls-stats.json', 'yourls'],
    ['yourls.csv', 'yourls'],
  ] as const) {
    const file = readFileSync(join(SAMPLES, name))
    expect([name, (await inspectText(file)).format]).toEqual([name, format])
    expect([name, (await inspectText(file.subarray(0, file.length - 5))).format]).toEqual([name, format])
  }
  for (const [text, format] of [
    ['\ufeff{"url":"https://example.com/","slugs":[]}\n', 'ndjson'],
    ['{"url":"https://example.com/","slug":"a"}\n{"url":"https://example.com/b"}\n', 'ndjson'],
    ['{"data":[{"address":"a","target":"https://example.com/","password":true}]}', 'kutt'],
    ['Long_URL\tCustom back-half\n', 'bitly'],
    ['\ufeff"address";"target";"description"', 'kutt'],
    ['', 'csv'],
    ['\0\ufffd', 'csv'],
    ['[', 'shrtnr'],
  ] as const)
    expect([text, (await inspectText(text)).format]).toEqual([text, format])
})

test('columns have their first values and the field that their name suggests', async () => {
  const text = `\ufeffKurz;Ziel;Title;;Kurz;clicks\r\na;"https://example.com/${'x'.repeat(200)}";"1;2";no;no;4\r\n;https://example.com/b;;;;\r\n`
  const { format, columns } = await inspectText(text)
  expect(format).toBe('csv')
  expect(columns).toEqual([
    { name: 'Kurz', samples: ['a'], field: null },
    {
      name: 'Ziel',
      samples: [`https://example.com/${'x'.repeat(100)}`, 'https://example.com/b'],
      field: null,
    },
    { name: 'Title', samples: ['1;2'], field: 'label' },
    { name: 'clicks', samples: ['4'], field: 'clicks' },
  ])
})

test('each field is suggested once, for the column with its own name first', () => {
  expect(suggestFields(['Title', 'Label', 'Name'])).toEqual([null, 'label', null])
  expect(suggestFields(['Destination URL', 'Target'])).toEqual(['url', null])
  expect(suggestFields(['Short URL', 'Created-At', 'Owner', 'Total clicks', 'Notes'])).toEqual([
    'slug',
    'created_at',
    'created_by',
    'clicks',
    null,
  ])
})
