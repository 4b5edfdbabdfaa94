import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import type { Tables } from '@latchkey/links/db/tables'
import { type Service, Workspace } from './running.ts'

const workspace = new Workspace({ LINKS_BASE_URL: 'https://go.example.com' })
let service: Service
let key: string
afterAll(async () => {
  await service.kill()
  workspace.remove()
})
beforeAll(async () => {
  service = await workspace.start(['links'], /"listening"/)
  const args = ['--identity', 'ben@example.com', '--scope', 'create,read', '--title', 'remote']
  key = (await workspace.run(['keys', 'create', ...args])).out.trim()
})

const here = (...args: string[]) => workspace.run(['links', ...args])
/** Commands in a folder without an instance, against the running one. */
const elsewhere = new Workspace()
afterAll(() => elsewhere.remove())
const remote = (...args: string[]) =>
  elsewhere.run(['links', ...args, '--server', service.origin], { env: { LATCHKEY_KEY: key } })

describe.each([
  ['of this instance', here, ['--identity', 'ann@example.com'], 'ann@example.com'],
  ['of a remote instance', remote, [], 'ben@example.com'],
] as const)('L28.5: latchkey links creates, lists and shows links %s', (name, run, who, owner) => {
  const tag = name.split(' ').at(-2) ?? ''

  test('L28.5: create prints the short URL, or the link as JSON', async () => {
    const url = `https://example.com/${tag}`
    const first = await run('create', url, ...who, '--slug', `cli-${tag}`, '--label', 'By hand')
    expect(first).toEqual({ code: 0, out: `https://go.example.com/cli-${tag}\n`, err: '' })
    const again = JSON.parse((await run('create', url, ...who, '--json')).out)
    expect(again).toMatchObject({ url, label: 'By hand', created_by: owner, duplicate: true })
    const expiring = await run('create', `${url}/e`, ...who, '--expires-at', '4102444800', '--json')
    expect(JSON.parse(expiring.out)).toMatchObject({ expires_at: 4_102_444_800 })
    const response = await fetch(`${service.origin}/cli-${tag}`, { redirect: 'manual' })
    expect(response.headers.get('location')).toBe(url)
    // L29.1: each creation is one change, the reused link none.
    const database = openDatabase<Tables>(`sqlite:${workspace.database}`)
    const changes = await database.read
      .selectFrom('history')
      .select(['via', 'kind'])
      .where('identity', '=', owner)
      .execute()
    await database.close()
    const via = name === 'of this instance' ? 'cli' : 'api'
    expect(changes).toEqual([1, 2].map(() => ({ via, kind: 'link.created' })))
  })

  test('L28.5: list prints a table, or one link as JSON on each line', async () => {
    const { code, out } = await run('list', '--search', `cli-${tag}`)
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(/  +/))).toEqual([
      ['SHORT URL', 'STATE', 'CLICKS', 'OWNER', 'DESTINATION'],
      [
        `https://go.example.com/cli-${tag}`,
        'active',
        expect.stringMatching(/^\d$/),
        owner,
        `https://example.com/${tag}`,
      ],
      [''],
    ])
    const lines = (await run('list', '--owner', owner, '--limit', '1', '--json')).out.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).url)).toEqual([`https://example.com/${tag}/e`])
    expect(await run('list', '--search', 'no-such-link')).toEqual({
      code: 0,
      out: '',
      err: 'There are no such links\n',
    })
  })

  test('L28.5: show describes the link of a slug', async () => {
    const { out } = await run('show', `CLI-${tag}`)
    expect(out).toContain(
      `Short URL    https://go.example.com/cli-${tag}\nDestination  https://example.com/${tag}\n`,
    )
    expect(out).toContain(
      `Label        By hand\nState        active\nExpires      never\nOwner        ${owner}\n`,
    )
    expect(out).toMatch(new RegExp(`Slugs +\\w{4} \\(0 clicks\\), cli-${tag} \\(\\d clicks?\\)\n$`))
    expect(JSON.parse((await run('show', `cli-${tag}`, '--json')).out).created_by).toBe(owner)
  })

  test('L28.5: refusals are those of the API', async () => {
    for (const [args, error] of [
      [['create', 'ftp://example.com', ...who], 'url must use http or https\n'],
      [['create', 'https://example.com/', ...who, '--slug', `cli-${tag}`], 'Slug already exists\n'],
      [['show', 'nothing-here'], 'Link not found\n'],
      [['list', '--status', 'gone'], 'status: must be one of: active, disabled, expired, all\n'],
      [['list', '--limit', '0'], 'limit: must be at least 1\n'],
    ] as const)
      expect([args, await run(...args)]).toEqual([args, { code: 1, out: '', err: error }])
  })
})

test('L28.5: names wrong options, keys and servers', async () => {
  const create = ['links', 'create', 'https://example.com/']
  for (const [args, env, status, problem] of [
    [create, {}, 2, 'Missing: --identity\n'],
    [
      [...create, '--server', service.origin],
      {},
      2,
      'With --server, set LATCHKEY_KEY to an API key of that instance\n',
    ],
    [[...create, '--server', 'localhost'], { LATCHKEY_KEY: key }, 2, '--server must be an address such as'],
    [
      [...create, '--server', service.origin, '--identity', 'a'],
      { LATCHKEY_KEY: key },
      2,
      'With --server, the owner',
    ],
    [[...create, '--server', service.origin], { LATCHKEY_KEY: 'sk_wrong' }, 1, 'Unauthorized\n'],
    [
      [...create, '--server', 'http://127.0.0.1:1'],
      { LATCHKEY_KEY: key },
      1,
      'Cannot reach http://127.0.0.1:1: ',
    ],
    [[...create, '--identity', 'a', '--expires-at', 'soon'], {}, 2, '--expires-at must be Unix seconds\n'],
    [['links', 'show', '_a'], {}, 2, '"_a" is no slug\n'],
  ] as const) {
    const { code, out, err } = await workspace.run(args, { env })
    expect([args, code, out, err.slice(0, problem.length)]).toEqual([args, status, '', problem])
  }
})
