import { describe, expect, test } from 'bun:test'
import { readJsonObjects } from './json-objects.ts'
import { fileOf } from './testing.ts'

async function read(text: string | Uint8Array, path: string[], pieceBytes?: number) {
  return Array.fromAsync(readJsonObjects(fileOf(text, pieceBytes), path))
}

const entries = [
  { a: 1, text: 'brackets [{"}] and \\ "quotes" \\', more: { b: [1, { c: '}' }] } },
  { a: 2, text: 'ö 🔑 \u2028', more: [] },
]
const values = entries.map((value, at) => ({ line: at + 1, value }))

describe('readJsonObjects', () => {
  for (const [form, text, path] of [
    ['a list', JSON.stringify(entries), []],
    ['a list that is written for people', JSON.stringify(entries, null, 2), []],
    ['one object a line', entries.map((entry) => JSON.stringify(entry)).join('\n'), []],
    [
      'a list in an answer',
      JSON.stringify({ total: 2, data: entries, rest: { data: [{ no: 1 }] } }),
      ['data'],
    ],
    [
      'a list deeper in an answer',
      JSON.stringify({ x: [{ y: 1 }], urls: { data: entries } }),
      ['urls', 'data'],
    ],
    ['named entries', JSON.stringify({ links: { link_1: entries[0], link_2: entries[1] } }), ['links']],
    ['several answers', entries.map((entry) => JSON.stringify({ data: [entry] })).join('\n'), ['data']],
    ['a list at the top instead of an answer', JSON.stringify(entries), ['urls', 'data']],
  ] as const)
    test(`reads the entries of ${form} from pieces of any size`, async () => {
      for (const pieceBytes of [1, 2, 3, 7, 10_000])
        expect(await read(text, [...path], pieceBytes)).toEqual(values)
    })

  test('a list without entries has none, and is no problem', async () => {
    expect(await read('{"data":[]}', ['data'])).toEqual([])
    expect(await read('[]', [])).toEqual([])
  })

  test('a file that breaks off, has no list or is not text is reported after the entries before the problem', async () => {
    expect(await read('[{"a":1},{"a"', [])).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, problem: { code: 'json_truncated', text: 'the JSON ends unexpectedly here' } },
    ])
    expect(await read('{"message":"Forbidden"}', ['data'])).toEqual([
      {
        line: 1,
        problem: { code: 'entries_missing', text: 'the file has no links in this format' },
      },
    ])
    expect(await read(Buffer.from('[{"ö":1},{"a":2},ö{ö}]', 'latin1'), [], 3)).toEqual([
      { line: 1, value: { '\0': 1 } },
      { line: 2, value: { a: 2 } },
      { line: 3, problem: { code: 'not_utf8', text: 'is not UTF-8 text' } },
    ])
  })

  test('an entry that is not JSON does not affect its neighbours', async () => {
    expect(await read('[{"a":1},{a:2},{"a":3}]', [])).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, problem: { code: 'not_json', text: 'is not a JSON object' } },
      { line: 3, value: { a: 3 } },
    ])
  })
})
