import { MAX_IDENTITY_LENGTH } from '../access/identity.ts'

/** The channels through which links and bundles are written (L29.1). */
export const changeChannels = ['api', 'app', 'mcp', 'import', 'cli', 'watch', 'code'] as const
export type ChangeChannel = (typeof changeChannels)[number]

/** A program that writes for a person: an API key, a client of the MCP endpoint, or a local one. */
export interface Assistant {
  /**
   * `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens
   * that name none, `access`, or `local`.
   */
  id: string
  /** Title of the API key. */
  name?: string | undefined
}

export const MAX_ASSISTANT_LENGTH = 'client:'.length + MAX_IDENTITY_LENGTH

/** The author of a write, and the request that it came with. */
export interface ChangeSource {
  identity: string
  via: ChangeChannel
  assistant?: Assistant | undefined
  /** The tool of the MCP endpoint. */
  tool?: string | undefined
  requestId?: string | undefined
  planId?: number | undefined
  /** Unix seconds. */
  now: number
}

/** The identity of writes that the service makes by itself, and of commands without one (L29.1). */
export const OPERATOR = 'operator'

/** Assistant and source of an API key. */
export function keyAssistant({ id, title }: { id: number; title: string }): Assistant {
  return { id: `key:${id}`, name: title }
}
