import { type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { TestLinks } from './testing.ts'

const ISSUER = 'https://team.example'
const AUDIENCE = '4714c1358e65fe4b'

/** An access layer that signs assertions and publishes its keys on a real port. */
export async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const { privateKey: strange } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  let requests = 0
  const fetch = () => {
    requests++
    return Response.json({ keys: [jwk] })
  }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  const sign = (payload: JWTPayload, key = privateKey) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(key)
  /** How often its keys were read. */
  const countRequests = () => requests
  return { server, sign, strange, countRequests, url: `http://127.0.0.1:${server.port}/certs` }
}

export function jwtSettings(jwksUrl: string): Record<string, string> {
  return {
    LINKS_ACCESS: 'jwt',
    LINKS_ACCESS_JWKS_URL: jwksUrl,
    LINKS_ACCESS_ISSUER: ISSUER,
    LINKS_ACCESS_AUDIENCE: AUDIENCE,
    LINKS_ACCESS_COOKIE: 'CF_Authorization',
  }
}

/** The claims of an assertion for ann@example.com. */
export function claims(service: TestLinks, changes: Record<string, unknown> = {}): JWTPayload {
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    iat: service.now,
    exp: service.now + 600,
    email: 'ann@example.com',
    ...changes,
  }
}
