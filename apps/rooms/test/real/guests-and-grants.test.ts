import { describe, expect, test } from 'bun:test'
import { addressesOf, pair, signIn, readUser } from './proofs.ts'
import { documentedBlock, documentedJson, documentedSettings } from './documented.ts'
import { type Registration, startOidcProvider } from './oidc-provider.ts'
import { Person } from './person.ts'

const PAGE = 'guests-and-grants.md'

describe('with the settings of the page about administrators and guests', () => {
  const claims = { groups: ['staff', 'rooms-admins'] }
  const up = pair({
    provider(rooms) {
      const addresses = { 'https://rooms.example.com': rooms, 'https://login.example.com': '' }
      const client = documentedJson('README.md', 'client_id', addresses) as Registration
      return startOidcProvider({ alg: 'RS256', client, claims })
    },
    settings: (addresses) => ({
      ...documentedSettings('oidc.md', addresses),
      ...documentedSettings(PAGE, addresses, '# Administrators by a claim'),
      ...documentedSettings(PAGE, addresses, '# Guests'),
    }),
  })

  /** A command of the page, for the user of this test. */
  function command(verb: string): Promise<{ code: number; out: string; err: string }> {
    const lines = documentedBlock(PAGE, 'console', { addresses: addressesOf(up) }).split('\n')
    const line = lines.find((each) => each.startsWith(`$ npx latchkey rooms admin ${verb} `)) ?? ''
    return up.service.command(line.replaceAll("'", '').split(' ').slice(3))
  }

  test('the log of a start without an administrator names the claim that makes one', () => {
    expect(up.service.log).toContain('administrators: none until a person signs in whose admin claim matches')
  })

  test('the claim makes an administrator for as long as the provider sends it', async () => {
    expect(await readUser(up, await signIn(up))).toMatchObject({ platformAdmin: true })
    claims.groups = ['staff']
    expect(await readUser(up, await signIn(up))).toMatchObject({ platformAdmin: false })
    expect(up.service.log).toContain('no administrator left')
  })

  test('the command makes an administrator of a user who has signed in once, and keeps the last one', async () => {
    const person = await signIn(up)
    expect((await command('grant')).code).toBe(0)
    expect(await readUser(up, person)).toBeUndefined()
    expect(await readUser(up, await signIn(up))).toMatchObject({ platformAdmin: true })
    expect((await command('revoke')).code).not.toBe(0)
    expect(await readUser(up, await signIn(up))).toMatchObject({ platformAdmin: true })
  })

  test('guests enter with a nickname, and create no rooms', async () => {
    const guest = new Person()
    const entered = await guest.call(up.origin, '/api/session', { method: 'POST', body: { nickname: 'Kim' } })
    expect(entered.status).toBe(201)
    expect(await readUser(up, guest)).toMatchObject({ nickname: 'Kim', identityType: 'guest' })
    const headers = { 'x-csrf-token': guest.cookies('localhost').get('latchkey_csrf') ?? '' }
    const room = await guest.call(up.origin, '/api/rooms', {
      method: 'POST',
      body: { name: 'Pier' },
      headers,
    })
    expect([room.status, (await room.json()) as object]).toMatchObject([
      403,
      { code: 'guest_rooms_disabled' },
    ])
  })

  test('a guest who signs in is a member', async () => {
    const person = new Person()
    await person.call(up.origin, '/api/session', { method: 'POST', body: { nickname: 'Kim' } })
    const { id } = (await readUser(up, person)) ?? {}
    await signIn(up, person)
    const member = await readUser(up, person)
    expect(member).toMatchObject({ nickname: 'Alice Andersson', identityType: 'oauth' })
    expect(member?.id).not.toBe(id ?? '')
  })
})
