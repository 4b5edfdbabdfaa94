import { expect, test } from 'bun:test'
import { Failure } from './failure.ts'
import { openFormFile } from './form-file.ts'

const LIMIT = 1_000_000
const tooLarge = new Failure('file_too_large', { status: 413, text: 'Too large' })

function request(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/', { method: 'POST', body, headers })
}

const TYPE = { 'content-type': 'multipart/form-data; boundary=b' }

function part(name: string, content: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
}

async function read(sent: Request): Promise<{ name: string; content: string }> {
  const file = await openFormFile(sent, { field: 'file', limitBytes: LIMIT, tooLarge })
  const chunks: Uint8Array[] = []
  for await (const chunk of file.content) chunks.push(Uint8Array.from(chunk))
  return { name: file.name, content: Buffer.concat(chunks).toString() }
}

async function refusal(sent: Request): Promise<[number, string]> {
  try {
    const { content } = await read(sent)
    return [200, content]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [error.status, error.message]
  }
}

/** A body that arrives in pieces of this size. */
function inPieces(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

/** Lets everything happen that waits for nothing. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a file arrives with its name and unchanged, however the body is divided', async () => {
  const content = `line\r\n--b\r\r\n--bx\r\n--\0\xff${'x'.repeat(70_000)}\r\n--`
  const form = new FormData()
  form.append('file', new Blob([content]), 'räka "1".txt')
  expect(await read(request(form))).toEqual({ name: 'räka "1".txt', content })
  // A file may contain most of the boundary.
  const text = `preamble\r\n${part('file', 'a\r\n--c\r\n-', 'a.txt')}--b--\r\nepilogue`
  for (const size of [1, 2, 3, 7, 1000])
    expect(await read(request(inPieces(text, size), TYPE))).toEqual({
      name: 'a.txt',
      content: 'a\r\n--c\r\n-',
    })
})

test('a name arrives as the client sent it, with quotation marks in both of their forms', async () => {
  for (const [sent, name] of [
    ['../../etc/passwd', '../../etc/passwd'],
    ['C:\\Users\\a.txt', 'C:\\Users\\a.txt'],
    ['a%22b\\"c.txt', 'a"b"c.txt'],
    ['a;name=other; b.txt', 'a;name=other; b.txt'],
    ['', ''],
  ] as const)
    expect(await read(request(`${part('file', 'x', sent)}--b--`, TYPE))).toEqual({ name, content: 'x' })
})

test('a boundary may be quoted, and other headers and parameters of the part do not matter', async () => {
  const headers = { 'content-type': 'Multipart/Form-Data; charset=utf-8; Boundary="b"' }
  const text =
    '--b\r\nContent-Type: text/plain\r\ncontent-disposition:form-data; filename=a.txt; x="y"; name=file\r\n\r\nx\r\n--b--'
  expect(await read(request(text, headers))).toEqual({ name: 'a.txt', content: 'x' })
})

test('a form that is cut off anywhere is refused, and never looks like a complete file', async () => {
  const whole = `${part('file', 'content of the file', 'a.txt')}--b--`
  for (let length = 0; length < whole.length - 1; length++)
    expect([length, (await refusal(request(whole.slice(0, length), TYPE)))[0]]).toEqual([length, 400])
})

test('a body that fails half way, or goes on beyond its limit, ends the file with an error', async () => {
  const start = part('file', 'x'.repeat(1000), 'a').slice(0, -2)
  const endless = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(start)),
    pull: (controller) => controller.enqueue(Buffer.alloc(LIMIT / 4)),
  })
  expect((await refusal(request(endless, TYPE)))[0]).toBe(413)
  const failing = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(start)),
    pull: (controller) => controller.error(new Error('connection reset')),
  })
  expect((await refusal(request(failing, TYPE)))[0]).toBe(400)
})

test('a form with another field, a second file or no file is refused', async () => {
  const file = part('file', 'x', 'a.txt')
  for (const [text, message] of [
    [`${part('other', 'x', 'a.txt')}--b--`, 'must have a file in "file"'],
    [`${part('file', 'x')}--b--`, 'must have a file in "file"'],
    [`${part('note', 'y')}${file}--b--`, 'must have a file in "file"'],
    [`${file}${part('note', 'y')}--b--`, 'more than one part'],
    [`${file}${file}--b--`, 'more than one part'],
    ['--b--', 'no file in "file"'],
    [`--b\r\nX: ${'x'.repeat(20_000)}\r\n`, 'long headers'],
    ['x'.repeat(20_000), 'no part'],
  ] as const)
    expect([text, await refusal(request(text, TYPE))]).toEqual([
      text,
      [400, expect.stringContaining(message)],
    ])
})

test('another content type is refused, and a form without a boundary', async () => {
  expect((await refusal(request('{}', { 'content-type': 'application/json' })))[0]).toBe(400)
  expect(await refusal(request('x', { 'content-type': 'multipart/form-data; x=y' }))).toEqual([
    400,
    'request: the form has no boundary',
  ])
})

test('a file over the limit is refused when it exceeds it, and unread if its length is declared', async () => {
  const of = (length: number) => `${part('file', 'x'.repeat(length), 'a')}--b--`
  expect((await refusal(request(of(LIMIT), TYPE)))[0]).toBe(200)
  expect(await refusal(request(of(LIMIT + 1), TYPE))).toEqual([413, 'Too large'])
  let isRead = false
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true
        controller.enqueue(Buffer.from('x'))
      },
    },
    { highWaterMark: 0 },
  )
  const declared = { ...TYPE, 'content-length': String(LIMIT * 2) }
  expect((await refusal(request(body, declared)))[0]).toBe(413)
  expect(isRead).toBe(false)
})

test('a body is read no faster than the file', async () => {
  let sent = 0
  const body = new ReadableStream(
    {
      pull(controller) {
        if (sent === 0) controller.enqueue(Buffer.from(part('file', '', 'a').slice(0, -2)))
        sent += 65_536
        controller.enqueue(Buffer.alloc(65_536))
      },
    },
    { highWaterMark: 0 },
  )
  const file = await openFormFile(request(body, TYPE), { field: 'file', limitBytes: 100_000_000, tooLarge })
  const content = file.content[Symbol.asyncIterator]()
  await content.next()
  await severalTurns()
  expect(sent).toBeLessThan(1_000_000)
  await content.return?.()
  await severalTurns()
  expect(sent).toBeLessThan(1_000_000)
})
