/** The types that the demo and its tests use; the package has none. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Configuration {
    extraTokenClaims?: (context: unknown, token: { accountId?: string }) => object
    findAccount?: (context: unknown, id: string) => { accountId: string; claims: () => object }
    extraClientMetadata?: {
      properties: string[]
      validator: (context: unknown, name: string, value: unknown, metadata: { scope?: string }) => void
    }
    features?: {
      resourceIndicators?: {
        enabled: boolean
        useGrantedResource: () => boolean
        getResourceServerInfo: (context: unknown, resource: string) => object
      }
      [name: string]: object | undefined
    }
    [name: string]: unknown
  }

  interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly method: string
    readonly path: string
    readonly response: { readonly headers: Readonly<Record<string, number | string | string[] | undefined>> }
    query: Record<string, string | string[] | undefined>
    status: number
    type: string
    body: unknown
    set(headers: Record<string, string>): void
    append(name: string, value: string | string[]): void
    redirect(url: string): void
    /** Only on the provider's own paths. */
    readonly oidc?: RequestContext
  }

  interface RequestContext {
    readonly provider: Provider
    readonly route: string
    readonly client?: { readonly clientId: string }
    readonly session?: Session
    readonly entities: { readonly IdTokenHint?: { readonly payload: { readonly sub?: string } } }
    urlFor(route: string): string
  }

  interface Session {
    readonly accountId?: string
    readonly state?: { readonly secret: string }
    grantIdFor(clientId: string): string | undefined
  }

  interface Grant {
    addOIDCScope(scopes: string): void
    save(): Promise<string>
  }

  interface Interaction {
    readonly params: { readonly client_id?: string }
    readonly session?: { readonly accountId: string }
  }

  type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
    readonly Client: { find(id: string): Promise<object | undefined> }
    readonly IdToken: { validate(token: string, client: object): Promise<object> }
    readonly Grant: {
      new (grant: { clientId: string; accountId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    use(middleware: Middleware): void
    on(event: 'backchannel.error', listener: (context: Context, error: Error) => void): void
    on(event: 'server_error', listener: (context: Context, error: Error) => void): void
    on(event: 'error', listener: (error: Error) => void): void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<string>
  }

  interface Policy {
    add(prompt: interactionPolicy.Prompt, at: number): void
    remove(name: string): void
  }

  export namespace interactionPolicy {
    class Prompt {
      readonly name: string
      constructor(prompt: { name: string; requestable: boolean })
    }
    function base(): Policy
  }
}
