import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

const LIMIT = 64 * 1024
const URL_FIELD = '"url":"https://example.com/raw"'

/** A body whose URL contains these bytes. */
function bodyWithBytes(...bytes: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...Buffer.from('{"url":"https://example.com/'), ...bytes, ...Buffer.from('"}')])
}

function bodyOfSize(bytes: number): string {
  return '{"url":"https://example.com/padded"}'.padEnd(bytes)
}

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  const headersOf = (type = 'application/json') => ({
    ...(ann && { Authorization: `Bearer ${ann}` }),
    ...(type && { 'Content-Type': type }),
  })
  async function send(
    body: BodyInit | null,
    { method = 'POST', path = '/_/api/links', type = 'application/json' } = {},
  ) {
    const response = await links.fetch(path, { method, headers: headersOf(type), body })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown> }
  }
  const refuses = async (body: BodyInit | null, expected: [number, string], type?: string) => {
    const before = await links.databaseState()
    const { status, body: answer } = await send(body, type === undefined ? {} : { type })
    expect([status, answer]).toEqual([expected[0], { error: expected[1] }])
    expect(await links.databaseState()).toEqual(before)
  }

  test('a body that is not a JSON object is refused with its own message', async () => {
    for (const body of ['null', '[]', '"x"', '5', 'true', `[{${URL_FIELD}}]`])
      await refuses(body, [400, 'request: must be a JSON object'])
    const broken = [
      '',
      ' ',
      '{',
      '{}}',
      `{${URL_FIELD},}`,
      `{'url':'x'}`,
      '{"url":NaN}',
      '{"url":Infinity}',
      'undefined',
      `{${URL_FIELD}}{}`,
      `// x\n{}`,
      '\0{}',
      '<xml/>',
      'url=https://example.com',
      '{"url":"\\x41"}',
      '{"url":"a\nb"}',
    ]
    for (const body of broken) await refuses(body, [400, 'Invalid JSON body'])
  })

  test('bytes that are not UTF-8 are not JSON', async () => {
    for (const body of [
      bodyWithBytes(0xff),
      bodyWithBytes(0xc0, 0x80),
      bodyWithBytes(0xed, 0xa0, 0x80),
      bodyWithBytes(0xe2, 0x84),
      bodyWithBytes(0xf5, 0x80, 0x80, 0x80),
    ])
      await refuses(body, [400, 'Invalid JSON body'])
    await refuses(new Uint8Array(Buffer.from(`{${URL_FIELD}}`, 'utf16le')), [400, 'Invalid JSON body'])
  })

  test('JSON of any depth or width within the limit is answered', async () => {
    await refuses('['.repeat(60_000), [400, 'Invalid JSON body'])
    await refuses('{"a":'.repeat(12_000), [400, 'Invalid JSON body'])
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    for (const body of [deep, `{"url":${deep}}`, `{"deep":${deep}}`])
      expect((await send(body)).status).toBe(400)
    await refuses(`{${Array.from({ length: 5000 }, (_, n) => `"k${n}":1`).join(',')}}`, [
      400,
      'Unknown field "k0"',
    ])
  })

  test('L3.4: names from the prototype of objects are unknown fields', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '__defineGetter__',
    ])
      await refuses(`{${URL_FIELD},"${name}":{"url":"https://evil.example","label":"x"}}`, [
        400,
        `Unknown field "${name}"`,
      ])
    await refuses(`{"__proto__":{${URL_FIELD}}}`, [400, 'Unknown field "__proto__"'])
  })

  test('the last value of a repeated name counts, and only that value is checked', async () => {
    const safe = await send('{"url":"javascript:alert(1)","url":"https://example.com/twice"}')
    expect([safe.status, safe.body['url']]).toEqual([201, 'https://example.com/twice'])
    await refuses('{"url":"https://example.com/thrice","url":"javascript:alert(1)"}', [
      400,
      'url must use http or https',
    ])
  })

  test('L3.3: an unknown field is named exactly as it is', async () => {
    for (const name of ['', ' ', 'ü', '"', '<b>', '🎈', 'x'.repeat(60_000)])
      await refuses(`{${JSON.stringify(name)}:1}`, [400, `Unknown field "${name}"`])
    expect((await send('{"\\ud800":1,"\\u0000":2}')).status).toBe(400)
  })

  test('only application/json is accepted, in any case and with parameters', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;x=y',
      'application/json ; q=1',
    ]) {
      const { status } = await send('{"url":"https://example.com/type"}', { type })
      expect([type, [200, 201].includes(status)]).toEqual([type, true])
    }
    for (const type of [
      'text/plain',
      'text/json',
      'application/jsonx',
      'application/json-patch+json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain, application/json',
      '*/*',
      '"application/json"',
    ])
      await refuses(`{${URL_FIELD}}`, [400, 'Content-Type must be application/json'], type)
    await refuses(
      new Uint8Array(Buffer.from(`{${URL_FIELD}}`)),
      [400, 'Content-Type must be application/json'],
      '',
    )
  })

  test('L3.3 L23: a body of 64 KiB is read, and one more byte is 413', async () => {
    expect((await send(bodyOfSize(LIMIT))).status).toBe(201)
    await refuses(bodyOfSize(LIMIT + 1), [413, 'Request body too large'])
  })

  test('ten megabytes are refused, with or without a length, and a stream is not read to its end', async () => {
    const megabyte = 'x'.repeat(1024 * 1024)
    await refuses(megabyte.repeat(10), [413, 'Request body too large'])
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled++
        controller.enqueue(new TextEncoder().encode(megabyte))
      },
    })
    await refuses(endless, [413, 'Request body too large'])
    expect(pulled).toBeLessThan(5)
  })

  test('a false Content-Length does not bypass the limit', async () => {
    for (const length of ['10', '-1', 'abc', '0', '1e2']) {
      const headers = { ...headersOf(), 'Content-Length': length }
      const response = await links.fetch('/_/api/links', {
        method: 'POST',
        headers,
        body: ' '.repeat(LIMIT + 1),
      })
      expect([length, response.status]).toEqual([length, 413])
    }
  })
})
