import { expect, test } from 'bun:test'
import { refusal, signedInUser } from '../actions.ts'
import { dump } from '../login/steps.ts'
import { roomsPerTest } from '../per-test.ts'
import { conditions } from '../provider/hostile.ts'

const { rooms } = roomsPerTest()
const SECRET = 'a-group-of-the-person'
const ADDRESS = '/api/admin/provider/claims'
const explain = (claims: unknown) => ({ body: { text: JSON.stringify(claims) } })

test('R38.4a R38.4c: an administrator sees each rule, and nothing of the claims is stored or logged', async () => {
  const service = await rooms({
    provider: (idp) => idp.config({ conditions: conditions(`groups=${SECRET}`) }),
  })
  const ada = await signedInUser(service, { sub: 'ada', name: 'Ada', groups: [SECRET] })
  const [rows, lines] = [await dump(service.rooms), service.logLines.length]
  const answer = await ada.browser.json(ADDRESS, explain({ sub: 'bob', name: 'Bob Berg', groups: [SECRET] }))
  expect(answer).toMatchObject({ isToken: false, maySignIn: true, name: 'Bob Berg', isAdmin: false })
  expect(answer['rules']).toContainEqual({
    rule: 'condition',
    setting: 'AUTH_REQUIRE',
    path: 'groups',
    expected: [SECRET],
    claim: `["${SECRET}"]`,
    holds: true,
    problem: null,
  })
  // Reading the session may have moved its expiry.
  const written = await dump(service.rooms)
  expect({ ...written, sessions: [] }).toEqual({ ...rows, sessions: [] })
  expect(written.sessions).toHaveLength(rows.sessions.length)
  const logged = service.logLines.slice(lines).join('')
  expect(logged).toContain('/admin/provider/claims')
  for (const text of [SECRET, 'Bob Berg']) expect(logged).not.toContain(text)
})

test('R38.4c: only administrators explain claims, of at most body_bytes', async () => {
  const service = await rooms({ limits: { body_bytes: 1_000 } })
  const ada = await signedInUser(service, { sub: 'ada', name: 'Ada' })
  const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
  const claims = { sub: 'bob', name: 'Bob Berg' }
  expect(await refusal(await eva.browser.send(ADDRESS, explain(claims)))).toEqual([403, 'forbidden'])
  const long = explain({ ...claims, groups: 'x'.repeat(1_000) })
  expect(await refusal(await ada.browser.send(ADDRESS, long))).toEqual([413, 'too_large'])
  for (const body of [
    { text: 'no claims' },
    { text: '{"sub":"bob","sub":"eve"}' },
    { text: '{}', more: 1 },
    { claims },
    {},
  ])
    expect([body, await refusal(await ada.browser.send(ADDRESS, { body }))]).toEqual([
      body,
      [400, 'invalid_request'],
    ])
})
