import { expect, test } from 'bun:test'
import { createIssuer } from './issuer.ts'

test('nobody waits for an issuer that said something before', async () => {
  const issuer = 'https://login.example'
  const document = { issuer, jwks_uri: `${issuer}/keys` }
  let nowMs = 1_790_000_000_000
  let answer = Promise.resolve(Response.json(document))
  const asked = createIssuer(
    { issuer, audience: 'a' },
    { now: () => nowMs, fetchKeys: () => answer, log: { warn: () => undefined } },
  )
  expect(await asked.metadata()).toEqual(document)
  const late = Promise.withResolvers<Response>()
  answer = late.promise
  nowMs += 600_000
  expect(await asked.metadata()).toEqual(document)
  late.resolve(Response.json({ ...document, jwks_uri: `${issuer}/moved` }))
  await new Promise(setImmediate)
  expect(await asked.metadata()).toMatchObject({ jwks_uri: `${issuer}/moved` })
})
