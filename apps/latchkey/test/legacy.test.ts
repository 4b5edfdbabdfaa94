import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Workspace } from './running.ts'

/** A service that leads these codes to destinations of their own, and all others nowhere. */
function startService(codes: Record<string, string>) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const location = codes[decodeURIComponent(new URL(request.url).pathname.slice(1))]
      return location === undefined
        ? new Response(null, { status: 404 })
        : new Response(null, { status: 302, headers: { Location: location } })
    },
  })
}

const link = (address: string) => ({ address, target: `https://example.com/${address}` })

describe('legacy paths on the command line', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())
  const legacy = (...args: string[]) => workspace.run(['legacy', ...args])

  beforeAll(async () => {
    const { code } = await workspace.run(
      ['links', 'import', '-', '--format', 'kutt', '--owner', 'ann@example.com'],
      { stdin: JSON.stringify({ data: [link('docs'), link('Docs')] }) },
    )
    expect(code).toBe(0)
  })

  test('L43.4: an import keeps codes with capitals by default, and none with off', async () => {
    expect((await legacy('list')).out).toBe('/Docs  link 2  kutt\n')
    const file = JSON.stringify({ data: [link('Other')] })
    const off = ['links', 'import', '-', '--format', 'kutt', '--owner', 'ann@example.com', '--legacy', 'off']
    expect((await workspace.run(off, { stdin: file })).code).toBe(0)
    expect((await workspace.run(['links', 'show', 'other'])).code).toBe(0)
    expect((await legacy('list')).out).toBe('/Docs  link 2  kutt\n')
    const wrong = await workspace.run([...off.slice(0, -1), 'some'], { stdin: file })
    expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([2, '--legacy must be one of: auto, exact, off'])
  })

  test('L43.1: commands add, list and remove a path', async () => {
    const added = await legacy('add', '/news/May', 'docs')
    expect(added).toEqual({ code: 0, out: '/news/May leads where docs does\n', err: '' })
    const listed = await legacy('list', '--json')
    expect(
      listed.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { path: 'Docs', source: 'kutt', link_id: 2 },
      { path: 'news/May', source: 'cli', link_id: 1 },
    ])
    expect(await legacy('remove', 'news/May')).toEqual({ code: 0, out: 'Removed /news/May\n', err: '' })
    expect(await legacy('remove', 'news/May')).toEqual({
      code: 1,
      out: '',
      err: 'There is no legacy path "news/May"\n',
    })
    expect((await legacy('add', 'launch', 'docs')).err).toBe(
      'The path "launch" is a slug, which a link gets without this\n',
    )
    expect((await legacy('add', 'A\u001b[2J', 'docs')).err).not.toContain('\u001b')
    expect((await legacy('add', 'A', 'docs', '--domain', 'no.example')).code).toBe(2)
  })

  test('L43.2b: verify prints what differs, and says by its exit code whether anything does', async () => {
    const codes = { docs: 'https://example.com/docs', Docs: 'https://example.com/Docs' }
    const [old, now] = [startService({ ...codes, Lost: 'https://example.com/Lost' }), startService(codes)]
    const verify = (path: string, ...args: string[]) =>
      workspace.run(['links', 'verify', path, '--against', old.url.href, '--now', now.url.href, ...args])
    const same = await workspace.write('same.json', JSON.stringify({ data: [link('docs'), link('Docs')] }))
    expect(await verify(same, '--per-second', '1000')).toEqual({
      code: 0,
      out: '2 of 2 answer the same\n',
      err: '',
    })
    const more = await workspace.write('more.json', JSON.stringify({ data: [link('docs'), link('Lost')] }))
    const report = workspace.path('report.ndjson')
    expect(await verify(more, '--report', report)).toEqual({
      code: 2,
      out: 'line 2: Lost: https://example.com/Lost there, 404 here\n1 of 2 answer the same\n',
      err: '',
    })
    const lines = (await Bun.file(report).text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { line: 1, code: 'docs', same: true },
      { line: 2, code: 'Lost', same: false, answers: { now: { status: 404 } } },
      { report: { codes: 2, same: 1 } },
    ])
    await now.stop(true)
    const unreachable = await verify(same)
    expect([unreachable.code, unreachable.err]).toEqual([
      1,
      expect.stringContaining(`Cannot reach ${now.url.origin}`),
    ])
    await old.stop(true)
  })

  test('L43.2: verify names wrong options', async () => {
    const path = await workspace.write('file.json', JSON.stringify({ data: [link('docs')] }))
    for (const [args, problem] of [
      [[], 'Missing: --against'],
      [['--against', 'old.example'], '--against must be an address such as https://old.example.com'],
      [
        ['--against', 'https://old.example?x'],
        '--against must be an address such as https://old.example.com',
      ],
      [
        ['--against', 'https://old.example', '--per-second', '0'],
        '--per-second must be a number from 1 to 1000',
      ],
    ] as const) {
      const { code, err } = await workspace.run(['links', 'verify', path, ...args])
      expect([code, err.split('\n')[0]]).toEqual([2, problem])
    }
    expect((await workspace.run(['links', 'verify', '-', '--against', 'https://old.example'])).code).toBe(2)
  })
})
