import OAuth2Server, {
  type AuthorizationCode,
  type Client,
  OAuthError,
  Request as LibraryRequest,
  Response as LibraryResponse,
  type Token,
} from '@node-oauth/oauth2-server'
import type { RealProvider } from './provider.ts'

export interface Registration {
  client_id: string
  client_secret: string
  redirect_uris: string[]
}

export interface UserInfo {
  data: { user: { id: number; profile: { display_name: string; mail: string } } }
}

const ALICE = { name: 'alice', password: 'a password of the tests' }

/**
 * An OAuth 2.0 server without OpenID Connect: numeric ids, and user information deep inside an
 * object.
 */
export async function startOAuth2Server(client: Registration, userInfo: UserInfo): Promise<RealProvider> {
  const { user } = userInfo.data
  const library = new OAuth2Server({ model: model(client), authenticateHandler: { handle: checkPassword } })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const [libraryRequest, answer] = [await read(request), new LibraryResponse({ headers: {} })]
      try {
        if (pathname === '/oauth/authorize' && request.method === 'GET') return page()
        if (pathname === '/oauth/authorize') await library.authorize(libraryRequest, answer)
        else if (pathname === '/oauth/token') await library.token(libraryRequest, answer)
        else if (pathname === '/api/v1/me') {
          await library.authenticate(libraryRequest, answer)
          answer.body = userInfo
        } else answer.status = 404
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        if (answer.status !== 302) answer.status = error.code
      }
      return Response.json(answer.body ?? null, {
        status: answer.status ?? 500,
        headers: answer.headers ?? {},
      })
    },
  })
  return {
    origin: server.url.origin,
    signIn: (person, at) => person.press(at, 'Allow', ALICE),
    refuse: (person, at) => person.press(at, 'Cancel', ALICE),
    rename: async (name, mail) => void Object.assign(user.profile, { display_name: name, mail }),
    stop: () => server.stop(true),
  }
}

function checkPassword({ body }: LibraryRequest): object {
  const { name, password } = body as Record<string, string | undefined>
  if (name !== ALICE.name || password !== ALICE.password)
    throw new OAuthError('wrong password', { code: 401 })
  return { name }
}

type CodeParts = Pick<AuthorizationCode, 'authorizationCode' | 'expiresAt' | 'redirectUri'>

/** The part that the library leaves to its user: the storage of clients, codes and tokens. */
function model({ client_id: id, client_secret: secret, redirect_uris: redirectUris }: Registration) {
  const [codes, tokens] = [new Map<string, AuthorizationCode>(), new Map<string, Token>()]
  const client: Client = { id, redirectUris, grants: ['authorization_code'] }
  return {
    getClient: async (givenId: string, givenSecret: string | null) =>
      givenId === id && (givenSecret === null || givenSecret === secret) ? client : false,
    validateScope: async (_: unknown, __: unknown, scope: string[] = []) =>
      scope.every((each) => each === 'profile') && scope,
    async saveAuthorizationCode(code: CodeParts, by: Client, user: object) {
      const saved = { ...code, client: by, user }
      codes.set(code.authorizationCode, saved)
      return saved
    },
    getAuthorizationCode: async (code: string) => codes.get(code),
    revokeAuthorizationCode: async (code: AuthorizationCode) => codes.delete(code.authorizationCode),
    async saveToken(token: Token, by: Client, user: object) {
      const saved = { ...token, client: by, user }
      tokens.set(token.accessToken, saved)
      return saved
    },
    getAccessToken: async (token: string) => tokens.get(token),
  }
}

async function read(request: Request): Promise<LibraryRequest> {
  const form = request.method === 'POST' ? new URLSearchParams(await request.text()) : undefined
  return new LibraryRequest({
    method: request.method,
    headers: Object.fromEntries(request.headers),
    query: Object.fromEntries(new URL(request.url).searchParams),
    body: form && Object.fromEntries(form),
  })
}

/** The form is sent back to its own address, with the query of the client. */
function page(): Response {
  const html = `<form method="post"><label>Name <input name="name"></label>
    <label>Password <input name="password" type="password"></label>
    <button name="allowed" value="true">Allow</button> <button name="allowed" value="false">Cancel</button></form>`
  return new Response(html, { headers: { 'Content-Type': 'text/html' } })
}
