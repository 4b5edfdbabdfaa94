import { type Log, createLog } from '@latchkey/http/log'
import * as oidc from 'openid-client'
import { type DemoProvider, startDemoProvider } from '../src/demo/provider.ts'

export const SECRET = 'a secret with spaces & signs: +%'

/** The relying party: the target of redirects and logout tokens. */
export function startService() {
  const logoutTokens: string[] = []
  const answer = { status: 200 }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method !== 'POST') return new Response('<h1>Back at the service</h1>', { headers: HTML })
      const form = new URLSearchParams(await request.text())
      logoutTokens.push(...form.getAll('logout_token'))
      return new Response(null, { status: answer.status })
    },
  })
  const origin = `http://localhost:${server.port}`
  return {
    origin,
    logoutTokens,
    /** The response to logout tokens. */
    answer,
    client: {
      id: 'latchkey rooms',
      secret: SECRET,
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [origin],
      backchannelLogoutUri: `http://127.0.0.1:${server.port}/backchannel`,
    },
    stop: () => server.stop(true),
  }
}

const HTML = { 'Content-Type': 'text/html' }

export type Service = ReturnType<typeof startService>

/** Starts the demo provider in this process, with its log lines. */
export async function startDemo(service: Service): Promise<{ demo: DemoProvider; lines: string[] }> {
  const lines: string[] = []
  const log: Log = createLog({ write: (line) => void lines.push(line) })
  return { demo: await startDemoProvider({ port: 0, client: service.client, log }), lines }
}

/** A login flow of the service. */
export interface Attempt {
  readonly url: URL
  /** Redeems the code in the callback URL. */
  finish(back: URL): Promise<{ idToken: string; claims: oidc.IDToken; userInfo: oidc.UserInfoResponse }>
}

/** The service's side of the protocol, with every check of openid-client. */
export async function connect(issuer: string, { client }: Service) {
  const configuration = await oidc.discovery(
    new URL(issuer),
    client.id,
    undefined,
    oidc.ClientSecretBasic(client.secret),
    { execute: [oidc.allowInsecureRequests] },
  )
  return {
    metadata: configuration.serverMetadata(),
    async begin(parameters: Record<string, string> = {}): Promise<Attempt> {
      const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: client.redirectUris[0] ?? '',
        scope: 'openid profile email teams:read',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      })
      return {
        url,
        async finish(back) {
          const tokens = await oidc.authorizationCodeGrant(configuration, back, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true,
          })
          const claims = tokens.claims()
          if (!claims || tokens.id_token === undefined) throw new Error('There is no ID token')
          const userInfo = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          return { idToken: tokens.id_token, claims, userInfo }
        },
      }
    },
    endSession: (parameters: Record<string, string>) => oidc.buildEndSessionUrl(configuration, parameters),
  }
}

interface Page {
  url: URL
  status: number
  headers: Headers
  html: string
}

/**
 * A browser without scripts: follows redirects within the provider, stores its cookies and submits
 * its forms.
 */
export class Person {
  readonly #cookies = new Map<string, string>()

  /** Opens a URL and returns the page of the provider. */
  async open(url: URL | string): Promise<Page> {
    const end = await this.#follow(new URL(url))
    if (end instanceof URL) throw new Error(`No page was shown on the way to ${end.href}`)
    return end
  }

  /** Opens a URL that redirects away from the provider without a page, and returns the target. */
  async pass(url: URL | string): Promise<URL> {
    return away(await this.#follow(new URL(url)))
  }

  /** Presses the button with these words, and returns the target of the redirect. */
  async press(page: Page, words: string): Promise<URL> {
    return away(await this.send(page, words))
  }

  /** Presses the button with these words. */
  async send(page: Page, words: string): Promise<Page | URL> {
    const { action, hidden, buttons } = await readForm(page.html)
    const button = buttons.find(({ text }) => text.includes(words))
    if (!button) throw new Error(`There is no button "${words}" in ${page.html}`)
    const body = new URLSearchParams([...hidden, [button.name, button.value]])
    return this.#follow(new URL(action, page.url), body)
  }

  async #follow(start: URL, form?: URLSearchParams): Promise<Page | URL> {
    let [at, body] = [start, form]
    for (let step = 0; step < 12; step++) {
      if (at.origin !== start.origin) return at
      const response = await fetch(at, {
        redirect: 'manual',
        method: body ? 'POST' : 'GET',
        headers: { accept: 'text/html', cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
        ...(body && { body }),
      })
      this.#keep(response.headers.getSetCookie())
      const location = response.headers.get('location')
      if (!location)
        return { url: at, status: response.status, headers: response.headers, html: await response.text() }
      at = new URL(location, at)
      body = undefined
    }
    throw new Error('The provider leads in a circle')
  }

  #keep(cookies: string[]): void {
    for (const cookie of cookies) {
      const [pair = '', ...attributes] = cookie.split(/;\s*/)
      const [name = '', value = ''] = pair.split('=')
      const isGone = attributes.some((each) => /^expires=Thu, 01 Jan 1970/i.test(each))
      if (isGone) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

function away(end: Page | URL): URL {
  if (end instanceof URL) return end
  throw new Error(`A page was shown at ${end.url.pathname} (${end.status}): ${end.html}`)
}

async function readForm(html: string) {
  const form = { action: '', hidden: [] as [string, string][], buttons: [] as Button[] }
  await new HTMLRewriter()
    .on('form', { element: (element) => void (form.action = element.getAttribute('action') ?? '') })
    .on('form input[type=hidden]', {
      element: (element) =>
        void form.hidden.push([element.getAttribute('name') ?? '', element.getAttribute('value') ?? '']),
    })
    .on('form button', {
      element: (element) =>
        void form.buttons.push({
          name: element.getAttribute('name') ?? '',
          value: element.getAttribute('value') ?? '',
          text: '',
        }),
      text: ({ text }) => {
        const last = form.buttons.at(-1)
        if (last) last.text += text
      },
    })
    .transform(new Response(html))
    .text()
  return form
}

interface Button {
  name: string
  value: string
  text: string
}
