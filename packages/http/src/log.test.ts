import { describe, expect, test } from 'bun:test'
import { type Fields, createLog } from './log.ts'

function lineOf(message: string, fields?: Fields): Record<string, unknown> {
  const lines: string[] = []
  createLog({ write: (line) => void lines.push(line), now: () => 0 }).error(message, fields)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^[^\n]+\n$/)
  return JSON.parse(lines[0] ?? '')
}

describe('createLog', () => {
  test('writes one JSON line with time, level and message, then the fields', () => {
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line), now: () => 1_700_000_000_000 })
    log.info('listening', { port: 8080 })
    log.warn('slow')
    log.error('failed')
    expect(lines[0]).toBe(
      '{"time":"2023-11-14T22:13:20.000Z","level":"info","message":"listening","port":8080}\n',
    )
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'warn', 'error'])
  })

  test('a field can neither replace time, level and message nor break the line', () => {
    const line = lineOf('a\nb', { level: 'info', message: 'x', time: 1, text: 'c\n{"level":"error"}\u2028' })
    expect(line).toMatchObject({ level: 'error', message: 'a\nb', time: '1970-01-01T00:00:00.000Z' })
  })

  test('an error is written with name, message, stack, code and cause', () => {
    const cause = Object.assign(new TypeError('no file'), { code: 'ENOENT' })
    const { error } = lineOf('x', { error: new Error('cannot open', { cause }) })
    expect(error).toMatchObject({
      name: 'Error',
      message: 'cannot open',
      stack: expect.stringContaining('log.test.ts'),
      cause: { name: 'TypeError', message: 'no file', code: 'ENOENT' },
    })
    const several = new AggregateError([new Error('refused')], '')
    expect(lineOf('x', { error: several })['error']).toMatchObject({ errors: [{ message: 'refused' }] })
  })

  test('other properties of an error are not written', () => {
    const error = Object.assign(new Error('x'), {
      token: 'hunter2',
      request: new Request('http://x/?hunter2'),
    })
    expect(JSON.stringify(lineOf('x', { error }))).not.toContain('hunter2')
  })

  test('headers, cookies, requests and responses are never written', () => {
    const headers = new Headers({ authorization: 'hunter2' })
    const line = lineOf('x', {
      sent: headers,
      nested: { deep: [headers], headers: { a: 'hunter2' }, Cookie: 'hunter2' },
      authorization: 'hunter2',
      request: new Request('http://x/?hunter2', { headers }),
      response: new Response('hunter2', { headers }),
    })
    expect(JSON.stringify(line)).not.toContain('hunter2')
    expect(line).toMatchObject({ sent: '[Headers]', request: '[Request]', nested: { deep: ['[Headers]'] } })
  })

  test('unusual values never make it throw, and the rest of the line stays readable', () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const throwing = {
      get x() {
        throw new Error('no')
      },
    }
    const own = new Error('x')
    own.cause = own
    const odd = { toJSON: () => circular }
    const values = [
      circular,
      throwing,
      odd,
      own,
      1n,
      Symbol('x'),
      () => 1,
      undefined,
      null,
      Number.NaN,
      Object.create(null),
    ]
    for (const value of [...values, new Map(), Promise.resolve(), new Date(Number.NaN)])
      expect(lineOf('x', { value, after: 1 })).toMatchObject({ message: 'x', after: 1 })
    expect(lineOf('x', { value: { big: 2n ** 64n } })['value']).toEqual({ big: '18446744073709551616' })
  })

  test('a failing output does not reach the caller', () => {
    const log = createLog({
      write() {
        throw new Error('EPIPE')
      },
    })
    expect(() => log.info('x')).not.toThrow()
  })
})
