import { type JWTPayload, SignJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'

export const SERVICE_KEY = 'a-service-key-of-the-tests-with-48-characters-xx'
export const ROOMS = 'https://rooms.example'
export const LINKS = 'https://go.example'

type Answer = (request: Request) => Response | Promise<Response>

/**
 * An access layer that lists ended sessions, as Rooms does: `GET /jwks`, and `GET /revocations`,
 * which waits for the next end.
 */
export async function startAccessLayer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const ended: { sid: string; at: string }[] = []
  const requests: { url: URL; authorization: string }[] = []
  let next = Promise.withResolvers<void>()
  let answer: Answer | undefined
  const proceed = () => {
    next.resolve()
    next = Promise.withResolvers()
  }

  async function list({ url, signal }: Request): Promise<Response> {
    const since = new URL(url).searchParams.get('since')
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    if (since === String(ended.length)) await Promise.race([next.promise, Bun.sleep(25_000), aborted])
    // The first page, and one after a cursor that no longer exists, has everything.
    const reset = since === null || Number(since) > ended.length
    return Response.json({
      cursor: String(ended.length),
      reset,
      ended: reset ? ended : ended.slice(Number(since)),
    })
  }

  function listen(port: number) {
    return Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 60,
      fetch(request) {
        const url = new URL(request.url)
        if (url.pathname === '/jwks') return Response.json({ keys: [jwk] })
        if (url.pathname === '/elsewhere') return list(request)
        requests.push({ url, authorization: request.headers.get('authorization') ?? '' })
        return answer ? answer(request) : list(request)
      },
    })
  }
  let server = listen(0)
  const port = server.port ?? 0

  return {
    url: `http://127.0.0.1:${port}`,
    privateKey,
    publicPem: await exportSPKI(publicKey),
    /** Requests for ended sessions so far. */
    requests,
    settings: {
      LINKS_ACCESS: 'jwt',
      LINKS_ACCESS_HEADER: 'X-Latchkey-Assertion',
      LINKS_ACCESS_ISSUER: ROOMS,
      LINKS_ACCESS_AUDIENCE: LINKS,
      LINKS_ACCESS_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
      LINKS_ACCESS_REVOCATIONS_URL: `http://127.0.0.1:${port}/revocations`,
      LINKS_ACCESS_SERVICE_KEY: SERVICE_KEY,
    },
    sign: (
      payload: JWTPayload,
      header: Record<string, unknown> = {},
      key: Uint8Array | CryptoKey = privateKey,
    ) => new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key),
    /** Ends a session at this time, in Unix seconds. */
    end(sid: string, at: number) {
      ended.push({ sid, at: new Date(at * 1000).toISOString() })
      proceed()
    },
    /** Forgets what has ended, as a database does that was restored. */
    restore() {
      ended.length = 0
      proceed()
    },
    /** Answers the requests for ended sessions in another way from now on. */
    answerWith(other: Answer | undefined) {
      answer = other
      proceed()
    },
    stop: () => server.stop(true),
    restart() {
      server = listen(port)
    },
  }
}

export type AccessLayer = Awaited<ReturnType<typeof startAccessLayer>>

/** The claims of an assertion for ann@example.com, at this time in Unix seconds. */
export function claimsAt(now: number, changes: Record<string, unknown> = {}): JWTPayload {
  return {
    iss: ROOMS,
    aud: LINKS,
    iat: now,
    exp: now + 60,
    sid: 'ann-1',
    sub: '4f0c2c56-8f3f-4c3c-9a2e-6c1b1f6f1d11',
    email: 'ann@example.com',
    email_verified: true,
    ...changes,
  }
}
