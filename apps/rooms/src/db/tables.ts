// Rows as both engines give them: booleans are 0 or 1, times are integer milliseconds UTC (rooms-contract R20).

export type Flag = 0 | 1

export interface UserRow {
  id: string
  nickname: string
  email: string | null
  avatar_color: string
  disabled: Flag
  is_guest: Flag
  created_at: number
  last_seen_at: number
  /** When a guest's last session ended. */
  guest_ended_at: number | null
}

export interface IdentityRow {
  id: string
  user_id: string
  /** Always 0: the key to `users (id, is_guest)` keeps guests from having an identity. */
  is_guest: Flag
  issuer: string
  subject: string
  mode: string
  created_at: number
}

export type RevokeReason = 'signed_out' | 'expired' | 'revoked' | 'idp_logout' | 'disabled'

export interface SessionRow {
  id: string
  user_id: string
  token_hash: string
  idp_issuer: string | null
  idp_sub: string | null
  idp_sid: string | null
  id_token_sealed: string | null
  login_at: number
  created_at: number
  last_seen_at: number
  idle_expires_at: number
  absolute_expires_at: number
  revoked_at: number | null
  revoke_reason: RevokeReason | null
  user_agent: string
  client_ip: string
}

export interface LoginStateRow {
  state_hash: string
  nonce_hash: string | null
  verifier_sealed: string | null
  redirect_uri: string
  return_path: string
  config_fingerprint: string
  browser_hash: string
  client_prefix: string
  created_at: number
  expires_at: number
  consumed_at: number | null
}

export type GrantSource = 'bootstrap' | 'claim' | 'manual' | 'teamidp'

export interface RoleGrantRow {
  id: string
  user_id: string
  role: 'platform_admin' | 'owner'
  scope_type: 'platform' | 'team'
  /** Empty for the platform, so that the unique key has no null in it. */
  scope_id: string
  source: GrantSource
  granted_by: string | null
  created_at: number
}

export interface PlatformStateRow {
  key: string
  value: string
  updated_at: number
}

export interface LogoutTokenRow {
  issuer: string
  jti: string
  expires_at: number
}

export interface LogoutMarkerRow {
  issuer: string
  kind: 'sid' | 'sub'
  value: string
  /** Of the logout token, Unix seconds as in the token. */
  iat: number
  received_at: number
  expires_at: number
}

export interface AuditEventRow {
  /** UUID version 7, so that equal times keep their order. */
  id: string
  actor_user_id: string | null
  action: string
  target_type: string | null
  target_id: string | null
  /** JSON object. */
  metadata: string
  client_ip: string | null
  request_id: string | null
  created_at: number
}

export interface Tables {
  users: UserRow
  identities: IdentityRow
  sessions: SessionRow
  login_states: LoginStateRow
  role_grants: RoleGrantRow
  platform_state: PlatformStateRow
  logout_tokens: LogoutTokenRow
  logout_markers: LogoutMarkerRow
  audit_events: AuditEventRow
}
