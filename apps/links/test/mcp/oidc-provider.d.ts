/** What the tests use of it; the package brings no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

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

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
