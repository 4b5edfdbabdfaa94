import { expect, test } from 'bun:test'
import { readRows } from './formats.ts'
import { inspectFile } from './inspect.ts'
import { fileOf } from './testing.ts'

const defaults = { owner: 'ann', now: 0 }
const TABLE = 'url;slug;label\nhttps://example.com/;abc;Smörgås 😀\n'

async function slugsAndLabels(file: string | Uint8Array, pieceBytes = 7) {
  const rows = await Array.fromAsync(readRows({ source: fileOf(file, pieceBytes), format: 'csv' }, defaults))
  return rows.map((row) =>
    'problem' in row ? row.problem.code : [row.line, row.value.custom[0]?.slug, row.value.label],
  )
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

test('L21.6: a file in UTF-16 is read in either byte order, with a byte order mark and without', async () => {
  for (const mark of ['\ufeff', ''])
    for (const file of [Buffer.from(mark + TABLE, 'utf16le'), utf16be(mark + TABLE)])
      for (const pieceBytes of [1, 7, 65_536]) {
        expect(await slugsAndLabels(file, pieceBytes)).toEqual([[2, 'abc', 'Smörgås 😀']])
        expect((await inspectFile(fileOf(file))).columns.map(({ name }) => name)).toEqual([
          'url',
          'slug',
          'label',
        ])
      }
})

test('L21.4: a first line with the separator, as Excel writes it, is no header', async () => {
  for (const line of ['sep=;', 'SEP=;', '"sep=;"', 'sep=;;;', '\ufeffsep=;'])
    for (const end of ['\r\n', '\n', '\r']) {
      const file = `${line}\n${TABLE}`.replaceAll('\n', end)
      for (const pieceBytes of [1, 7, 65_536])
        expect(await slugsAndLabels(file, pieceBytes)).toEqual([[3, 'abc', 'Smörgås 😀']])
    }
  for (const separator of ['|', ',', '\t', '^'])
    expect(await slugsAndLabels(`sep=${separator}\n${TABLE.replaceAll(';', separator)}`)).toEqual([
      [3, 'abc', 'Smörgås 😀'],
    ])
  expect(await slugsAndLabels('sep=x,url,slug\nno,https://example.com/,abc\n')).toEqual([[2, 'abc', null]])
})

test('L21.5: an unquoted NULL of a database is an empty cell, and a quoted one is text', async () => {
  const header = 'url,slug,label,tags,expires_at,created_by,behaviour,clicks,domain\n'
  for (const none of ['NULL', '\\N', 'null']) {
    const file = `${header}https://example.com/,abc${`,${none}`.repeat(7)}\n`
    const rows = await Array.fromAsync(readRows({ source: fileOf(file), format: 'csv' }, defaults))
    expect(rows).toMatchObject([
      {
        clicks: 0,
        value: { label: null, tags: [], expiresAt: null, createdBy: 'ann', behaviour: null, notes: [] },
      },
    ])
  }
  expect(await slugsAndLabels('url,slug,label\nhttps://example.com/,abc,"NULL"\n')).toEqual([
    [2, 'abc', 'NULL'],
  ])
  expect(await slugsAndLabels('url,slug,label\nhttps://example.com/,NULL,Null\n')).toEqual([
    [2, undefined, 'Null'],
  ])
})

test('L21.4: blank cells behind the last column cost no row, and others do', async () => {
  const file = (end: string) => `url,slug\nhttps://example.com/,abc${end}\n`
  expect(await slugsAndLabels(file(',, '))).toEqual([[2, 'abc', null]])
  expect(await slugsAndLabels(file(',x'))).toEqual(['field_count'])
})

test('L21.12: a slug may have a slash before or after it', async () => {
  expect(await slugsAndLabels('url,slug\nhttps://example.com/,/Abc/\n')).toEqual([[2, 'abc', null]])
})

test('L21.19: a file of a kind that no import reads is refused with what to export instead', async () => {
  for (const [kind, file] of [
    [
      'bookmarks',
      '\ufeff<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="https://example.com/">A</A>',
    ],
    ['html', '<!doctype html><title>Sign in</title>'],
    ['sql', '\n-- phpMyAdmin SQL Dump\n'],
    ['sql', '/*M!999999\\- enable the sandbox mode */\n'],
    ['sql', "INSERT INTO `yourls_url` VALUES ('a','https://example.com/');\n"],
    ['zip', 'PK\x03\x04…'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['sqlite', 'SQLite format 3\0…'],
  ] as const) {
    const problem = expect.objectContaining({ code: 'file_unsupported', kind })
    for (const format of ['csv', 'yourls', 'ndjson', 'dub'] as const)
      expect(await Array.fromAsync(readRows({ source: fileOf(file), format }, defaults))).toEqual([
        { line: 1, problem },
      ])
    expect(await inspectFile(fileOf(file))).toEqual({ format: 'csv', columns: [], problem })
  }
})

test('L17.5: a domain of another program is not proposed as the domain of its links, its slashtag as slug is', async () => {
  const file = (host: string) => `Title,Destination,Domain,Slashtag\nA,https://example.com/,${host},abc\n`
  const domains = { hosts: ['go.example'], defaultHost: 'l.example', target: null }
  const fieldsOf = async (host: string) =>
    (await inspectFile(fileOf(file(host)), domains)).columns.map(({ field }) => field)
  expect(await fieldsOf('rebrand.ly')).toEqual(['label', 'url', null, 'slug'])
  expect(await fieldsOf('go.example')).toEqual(['label', 'url', 'domain', 'slug'])
  expect(await fieldsOf('https://l.example/')).toEqual(['label', 'url', 'domain', 'slug'])
})
