import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { readSettings } from '../settings/settings.ts'
import { createIssuer } from './issuer.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-issuer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a cached document is used without waiting for the issuer', async () => {
  const issuer = 'https://login.example'
  const document = { issuer, jwks_uri: `${issuer}/keys` }
  let nowMs = 1_790_000_000_000
  let answer = Promise.resolve(Response.json(document))
  const requestedPaths = createIssuer(
    { issuer, audience: 'a' },
    { now: () => nowMs, fetchKeys: () => answer, log: { warn: () => undefined } },
  )
  expect(await requestedPaths.metadata()).toEqual(document)
  const late = Promise.withResolvers<Response>()
  answer = late.promise
  nowMs += 600_000
  expect(await requestedPaths.metadata()).toEqual(document)
  late.resolve(Response.json({ ...document, jwks_uri: `${issuer}/moved` }))
  await new Promise(setImmediate)
  expect(await requestedPaths.metadata()).toMatchObject({ jwks_uri: `${issuer}/moved` })
})

test('the keys named in the document are fetched over https, or over http from this machine, never from a file, up to 512 KiB', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
  const file = join(folder, 'keys.json')
  writeFileSync(file, JSON.stringify(keys))
  const document = { jwks_uri: '' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      if (url.endsWith('/large')) return Response.json({ ...keys, padding: ' '.repeat(600_000) })
      return Response.json(url.endsWith('/keys') ? keys : { issuer: new URL(url).origin, ...document })
    },
  })
  afterAll(() => server.stop(true))
  const issuer = server.url.origin
  const token = await new SignJWT({ iss: issuer, aud: 'a', sub: 'u', exp: Date.now() })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey)
  const subjectWith = async (jwks_uri: string) => {
    document.jwks_uri = jwks_uri
    const verifier = createIssuer({ issuer, audience: 'a' }, { log: { warn: () => undefined } })
    return verifier.verify(token).then(
      ({ sub }) => sub,
      (error: unknown) => (error as Error).name,
    )
  }
  expect(await subjectWith(`${issuer}/keys`)).toBe('u')
  for (const uri of [
    `file://${file}`,
    `data:application/json,${encodeURIComponent(JSON.stringify(keys))}`,
    'http://login.example.com/keys',
    'http://127.0.0.1.example.com/keys',
    `${issuer}/large`,
    '/keys',
    '',
  ])
    expect([uri, await subjectWith(uri)]).toEqual([uri, 'KeysUnavailable'])
})

test('an authorization server is requested over https, or over http on this machine', () => {
  const read = (MCP_OAUTH_ISSUER: string) => () => readSettings({ MCP_OAUTH_ISSUER, MCP_OAUTH_AUDIENCE: 'a' })
  expect(read('https://login.example.com')).not.toThrow()
  expect(read('http://localhost:9000')).not.toThrow()
  expect(read('http://login.example.com')).toThrow('MCP_OAUTH_ISSUER')
})
