// The effect of an accepted logout token, once and on every node (R13.3 to R13.8).
import { Database as SqliteFile } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { DialectName } from '@latchkey/database/url'
import { Client } from 'pg'
import { ANSWER_TIMEOUT_MS } from '../../src/http/backchannel-logout.ts'
import { listAuditEvents } from '../audit-log.ts'
import { ALICE, type Json, type Person } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { type Browser, type TestRooms } from '../rooms.ts'
import { deliver } from './deliver.ts'
import { browserOf, insertPerson } from './people.ts'

const BOB: Person = { sub: 'bob', name: 'Bob Berg' }

const { rooms, nodeOf } = roomsPerTest()

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.send('/api/session')).status === 200
}

function naming(service: TestRooms, claims: Json): string {
  return service.idp.logoutToken((usual) => ({ ...usual, ...claims }))
}

/**
 * Blocks every other writer until the returned function is called, as a slow disk or server would.
 */
async function holdUp(dialect: DialectName, url: string): Promise<() => Promise<void>> {
  if (dialect === 'sqlite') {
    const file = new SqliteFile(url.slice('sqlite:'.length))
    file.run('begin immediate')
    return async () => {
      file.run('rollback')
      file.close()
    }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query('lock table logout_tokens in access exclusive mode')
  return () => client.end()
}

eachDialect((dialect, newUrl) => {
  test('R13.6 C114: (2n) a token works once, whichever node receives it again', async () => {
    const service = await rooms({ url: await newUrl() })
    const other = await nodeOf(service)
    const token = naming(service, { sub: 'alice' })
    await service.signedInBrowser(ALICE)
    expect((await deliver(service, token)).status).toBe(200)
    service.clock.ms += 2_000
    const after = await service.signedInBrowser(ALICE)
    for (const node of [service, other]) {
      const replayed = await deliver(node, token)
      expect([replayed.status, await replayed.json()]).toEqual([
        400,
        {
          error: 'invalid_request',
          error_description: 'The logout token was refused: logout token replayed',
          code: 'invalid_request',
        },
      ])
    }
    expect(await isSignedIn(after)).toBe(true)
    expect((await deliver(other, naming(service, { sub: 'alice' }))).status).toBe(200)
    expect(await isSignedIn(after)).toBe(false)
  })

  test('C114: (2n) of twenty concurrent deliveries on two nodes, one counts', async () => {
    const service = await rooms({ url: await newUrl() })
    const other = await nodeOf(service)
    const token = naming(service, { sub: 'alice' })
    // A provider repeats a delivery that was answered with 503, as on a busy machine.
    const deliverUntilAnswered = async (node: TestRooms): Promise<Response> => {
      const answer = await deliver(node, token)
      return answer.status === 503 ? deliverUntilAnswered(node) : answer
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => deliverUntilAnswered(i % 2 === 0 ? service : other)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(19)
    const accepted = (await listAuditEvents(service)).filter(
      ({ action }) => action === 'auth.backchannel_logout',
    )
    expect(accepted).toHaveLength(1)
  })

  test('C114: while the database hangs the response is 503 within 2 s, nothing is recorded, and the same token works later', async () => {
    const url = await newUrl()
    const service = await rooms({ url })
    const alice = await service.signedInBrowser(ALICE)
    const token = naming(service, { sub: 'alice' })
    const letGo = await holdUp(dialect, url)
    const answer = await deliver(service, token)
    // Before the timeout of the database itself, which would be logged.
    expect(service.logLines.join('')).not.toContain('back-channel logout: cannot process the token')
    expect(ANSWER_TIMEOUT_MS).toBeLessThan(2_000)
    await letGo()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({ code: 'unavailable' })
    // The abandoned transaction is over once another one has finished.
    await service.rooms.database.write((tx) => tx.selectFrom('logout_tokens').selectAll().execute())
    expect((await deliver(service, token)).status).toBe(200)
    expect(await isSignedIn(alice)).toBe(false)
  }, 20_000)

  test('R13.7 R28.13 C115: a sid ends its session, a sub all of that user at that provider, and nothing else ends', async () => {
    const service = await rooms({ url: await newUrl() })
    const [one, two, three] = [
      await service.signedInBrowser({ ...ALICE, sid: 's-1' }),
      await service.signedInBrowser({ ...ALICE, sid: 's-2' }),
      await service.signedInBrowser({ ...ALICE, sid: 's-3' }),
    ]
    const bob = await service.signedInBrowser({ ...BOB, sid: 's-4' })
    const guest = await browserOf(service, await insertPerson(service, { is_guest: 1, nickname: 'alice' }))
    const elsewhere = await browserOf(service, await insertPerson(service, { nickname: 'Namesake' }), {
      idp: { issuer: 'https://other.example', sub: 'alice', sid: 's-1', idToken: null },
    })
    const browsers = { one, two, three, bob, guest, elsewhere }
    const live = async () => {
      const names = []
      for (const [name, browser] of Object.entries(browsers)) if (await isSignedIn(browser)) names.push(name)
      return names
    }
    const send = async (claims: Json) => (await deliver(service, naming(service, claims))).status

    expect(await send({ sid: 's-unknown', sub: 'alice' })).toBe(200)
    expect(await send({ sid: 's-unknown' })).toBe(200)
    expect(await live()).toEqual(Object.keys(browsers))
    expect(await send({ sid: 's-2', sub: 'bob' })).toBe(400)
    expect(await live()).toEqual(Object.keys(browsers))
    expect(await send({ sid: 's-1', sub: 'alice' })).toBe(200)
    expect(await live()).toEqual(['two', 'three', 'bob', 'guest', 'elsewhere'])
    expect(await send({ sid: 's-2' })).toBe(200)
    expect(await live()).toEqual(['three', 'bob', 'guest', 'elsewhere'])
    service.clock.ms += 1_000
    browsers.two = await service.signedInBrowser({ ...ALICE, sid: 's-5' })
    expect(await send({ sub: 'alice' })).toBe(200)
    expect(await live()).toEqual(['bob', 'guest', 'elsewhere'])
    const ended = await service.rooms.database.read
      .selectFrom('sessions')
      .select(['revoke_reason', 'id_token_sealed'])
      .where('revoked_at', 'is not', null)
      .execute()
    expect(ended).toEqual(
      Array.from({ length: 4 }, () => ({ revoke_reason: 'idp_logout', id_token_sealed: null })),
    )
  })

  test('C116: (2n) in any order of a login and its logout token, no session remains', async () => {
    const service = await rooms({ url: await newUrl() })
    const other = await nodeOf(service)
    for (let round = 0; round < 8; round++) {
      const browser = service.browser()
      const callback = service.idp.authorize(await browser.startLogin(), { ...ALICE, sid: `s-${round}` })
      const token = naming(service, round % 2 === 0 ? { sub: 'alice' } : { sid: `s-${round}` })
      const [, answer] = await Promise.all([browser.send(callback), deliver(other, token)])
      expect(answer.status).toBe(200)
      expect(await isSignedIn(browser)).toBe(false)
      service.clock.ms += 1_000
    }
    const live = service.rooms.database.read
      .selectFrom('sessions')
      .selectAll()
      .where('revoked_at', 'is', null)
    expect(await live.execute()).toEqual([])
  })

  if (dialect === 'postgres') return

  test('C108 oidcc-client-test-rp-backchannel-rpinitlogout: a valid token gets an empty 200 that is not cached, with or without a session', async () => {
    const service = await rooms({ url: await newUrl() })
    const alice = await service.signedInBrowser({ ...ALICE, sid: 's-1' })
    const tokens = [
      naming(service, { sub: 'alice', sid: 's-1', unknown: { claim: [1] } }),
      naming(service, { sub: 'alice', sid: 's-1' }),
      naming(service, { sub: 'nobody-we-know' }),
    ]
    for (const token of tokens) {
      const answer = await deliver(service, token)
      expect([answer.status, await answer.text()]).toEqual([200, ''])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect(await isSignedIn(alice)).toBe(false)
    expect(await service.rooms.metrics.registry.metrics()).toContain(
      'latchkey_rooms_logout_tokens_total{result="accepted"} 3',
    )
  })

  test('C114: the record of a token is kept until a minute after its expiry, at most ten minutes', async () => {
    const service = await rooms({ url: await newUrl() })
    const now = service.clock.ms / 1000
    await deliver(service, naming(service, { sub: 'alice', jti: 'short', exp: now + 60 }))
    await deliver(service, naming(service, { sub: 'alice', jti: 'long', exp: now + 999_999 }))
    const { read } = service.rooms.database
    const records = await read.selectFrom('logout_tokens').selectAll().orderBy('jti').execute()
    const issuer = service.idp.issuer
    expect(records).toEqual([
      { issuer, jti: 'long', expires_at: service.clock.ms + 660_000 },
      { issuer, jti: 'short', expires_at: service.clock.ms + 120_000 },
    ])
    const markers = await read.selectFrom('logout_markers').selectAll().execute()
    expect(markers).toEqual([
      {
        issuer,
        kind: 'sub',
        value: 'alice',
        iat: now,
        received_at: service.clock.ms,
        expires_at: service.clock.ms + 600_000,
      },
    ])
  })

  test('C115 R13.4: a sid and a jti of any length work like short ones', async () => {
    const service = await rooms({ url: await newUrl() })
    const long = (end: string) => `${'s'.repeat(300)}${end}`
    const [one, two] = [
      await service.signedInBrowser({ ...ALICE, sid: long('1') }),
      await service.signedInBrowser({ ...ALICE, sid: long('2') }),
    ]
    const token = naming(service, { sid: long('1'), sub: 'alice', jti: long('jti') })
    expect((await deliver(service, token)).status).toBe(200)
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, true])
    expect((await deliver(service, token)).status).toBe(400)
    expect((await deliver(service, naming(service, { sid: long('3') }))).status).toBe(200)
    expect((await deliver(service, naming(service, { sid: long('2'), sub: 'bob' }))).status).toBe(400)
    expect(await isSignedIn(two)).toBe(true)
  })

  test('C115: grants stay when sessions end', async () => {
    const service = await rooms({ url: await newUrl() })
    await service.signedInBrowser(ALICE)
    expect((await deliver(service, naming(service, { sub: 'alice' }))).status).toBe(200)
    const grants = await service.rooms.database.read.selectFrom('role_grants').select('source').execute()
    expect(grants).toEqual([{ source: 'bootstrap' }])
  })

  test('C116: a login between token response and session creates no session if the logout token arrives then; a later login does', async () => {
    for (const claims of [{ sub: 'alice' }, { sid: 's-1' }, { sub: 'alice', sid: 's-1' }]) {
      const service = await rooms({ url: await newUrl() })
      const { idp } = service
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      idp.answer('userinfo', async (usual) => {
        arrived.resolve()
        await released.promise
        return usual()
      })
      const browser = service.browser()
      const signIn = browser.signIn({ ...ALICE, sid: 's-1' })
      await arrived.promise
      expect((await deliver(service, naming(service, claims))).status).toBe(200)
      released.resolve()
      const answer = await signIn
      expect(answer.headers.get('location')).toContain('/login?error=state_invalid')
      expect(await isSignedIn(browser)).toBe(false)
      expect(await service.rooms.database.read.selectFrom('sessions').selectAll().execute()).toEqual([])
      idp.reset()
      service.clock.ms += 1_000
      expect(await isSignedIn(await service.signedInBrowser({ ...ALICE, sid: 's-1' }))).toBe(true)
    }
  })

  test('C116: a token for another user or another session does not affect a login', async () => {
    const service = await rooms({ url: await newUrl() })
    const browser = service.browser()
    const callback = service.idp.authorize(await browser.startLogin(), { ...ALICE, sid: 's-1' })
    for (const claims of [{ sub: 'bob' }, { sid: 's-2', sub: 'alice' }, { sid: 'alice' }])
      expect((await deliver(service, naming(service, claims))).status).toBe(200)
    await browser.send(callback)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('C131: an accepted token is audited with the sessions that it ended, and nothing of the token', async () => {
    const service = await rooms({ url: await newUrl() })
    const alice = await service.signedInBrowser({ ...ALICE, sid: 'provider-session-1' })
    const { session } = await alice.json<{ session: { id: string } }>('/api/session')
    const token = naming(service, { sid: 'provider-session-1', jti: 'token-id-1' })
    await deliver(service, token, { ip: '203.0.113.9' })
    const rows = (await listAuditEvents(service)).filter(({ action }) => action === 'auth.backchannel_logout')
    expect(rows).toEqual([
      {
        action: 'auth.backchannel_logout',
        actor: null,
        target: null,
        metadata: { by: 'sid', sessions: [session.id] },
        ip: '203.0.113.9',
      },
    ])
    const written = JSON.stringify(rows) + service.logLines.join('')
    for (const secret of [token, 'token-id-1', 'provider-session-1']) expect(written).not.toContain(secret)
  })
})
