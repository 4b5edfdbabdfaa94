import type { Flag } from './flag.ts'

/** A key pair with which assertions are signed. */
export interface AccessKeyRow {
  kid: string
  /** JSON Web Key (RFC 7517). */
  public_key: string
  private_key_sealed: string
  created_at: number
}

/** What the last login of a person said for the access layer. */
export interface AccessClaimsRow {
  user_id: string
  /** Only if the provider has verified it. */
  email: string | null
  /** JSON list of texts; null if they are not known. */
  groups: string | null
  /** Hash of the conditions that were examined. */
  conditions_hash: string
  /** Whether the claims met all of them. */
  is_met: Flag
}

/** A code that a browser carries to another origin, once. */
export interface AccessCodeRow {
  code_hash: string
  session_id: string
  origin: string
  /** Hash of the secret that this browser keeps at the other origin. */
  challenge: string
  expires_at: number
}

/** A browser that is admitted at another origin, through a session. */
export interface AccessSessionRow {
  id: string
  session_id: string
  origin: string
  token_hash: string
  created_at: number
  expires_at: number
  /** The order of the ends; null until the end. */
  ended_seq: number | null
  ended_at: number | null
}

export interface AccessTables {
  access_keys: AccessKeyRow
  access_claims: AccessClaimsRow
  access_codes: AccessCodeRow
  access_sessions: AccessSessionRow
}
