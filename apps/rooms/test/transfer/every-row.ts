import type { Database } from '@latchkey/database/database'
import { foldText } from '@latchkey/http/fold'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { insertDocument, searchDocument } from '../../src/messages/search/document.ts'
import { thumbnailKey } from '../../src/files/storage/storage.ts'
import { namesOf } from '../../src/users/names.ts'

const NOW = 1_795_516_200_000
const ODD = `Åsa "🔑" \\ line\nend 'q' \u2028`
const people = ['ann', 'bob', 'guest'] as const

export const PLAN = 'the plan'
const [PICTURE, THUMBNAIL] = ['not really '.repeat(50_000), 'smaller'] as const
export const sha256 = (text: string) => Bun.SHA256.hash(text, 'hex')

/** Rows of each table: one with null in every nullable column, one without nulls. */
export const rows: Record<string, Record<string, string | number | null>[]> = {
  file_contents: [
    {
      sha256: sha256(PLAN),
      type: 'application/octet-stream',
      width: null,
      height: null,
      thumbnail_bytes: null,
      claimed_at: 1,
      may_be_unused: 0,
      deleting_at: null,
    },
    {
      sha256: sha256(PICTURE),
      type: 'image/png',
      width: 3,
      height: 2,
      thumbnail_bytes: THUMBNAIL.length,
      claimed_at: 1,
      may_be_unused: 1,
      deleting_at: null,
    },
  ],
  users: people.map((id, at) => ({
    id,
    ...namesOf(`${ODD}${at}`),
    email: at === 0 ? 'ann@example.com' : null,
    avatar_color: '#123456',
    disabled: at === 1 ? 1 : 0,
    is_guest: at === 2 ? 1 : 0,
    created_at: NOW,
    last_seen_at: NOW + at,
    guest_ended_at: at === 2 ? NOW : null,
    ...(at === 0 && {
      title: ODD,
      time_zone: 'Europe/Stockholm',
      picture_id: 'p',
      picture_sha256: sha256(PICTURE),
      picture_bytes: PICTURE.length,
      status_text: ODD,
      status_emoji: '🍜',
      status_until: NOW,
      away: 1,
    }),
  })),
  blocks: [{ user_id: 'bob', blocked_id: 'ann', created_at: 1 }],
  identities: [
    { id: 'i', user_id: 'ann', issuer: 'https://id.example', subject: 's|1', mode: 'oidc', created_at: 1 },
  ],
  sessions: people.map((user_id, at) => ({
    id: `s${at}`,
    user_id,
    token_hash: `hash ${at}`,
    idp_issuer: at === 0 ? 'https://id.example' : null,
    id_token_sealed: at === 0 ? 'sealed' : null,
    login_at: 1,
    created_at: 1,
    last_seen_at: 2,
    idle_expires_at: 3,
    absolute_expires_at: NOW,
    revoked_at: at === 1 ? 9 : null,
    revoke_reason: at === 1 ? 'disabled' : null,
    user_agent: ODD,
    client_ip: '::1',
  })),
  notification_settings: [
    { user_id: 'ann', quiet_from: '22:00', quiet_to: '07:00', quiet_tz: 'Europe/Stockholm', sound: 1 },
    { user_id: 'bob', sound: 0 },
  ],
  push_subscriptions: [
    {
      id: 'p',
      session_id: 's0',
      endpoint: 'https://push.example/1',
      p256dh: 'key',
      auth: 'auth',
      created_at: 1,
    },
  ],
  login_states: [
    {
      state_hash: 'h',
      redirect_uri: 'u',
      return_path: '/',
      config_fingerprint: 'f',
      browser_hash: 'b',
      client_prefix: 'p',
      created_at: 1,
      expires_at: 2,
    },
  ],
  role_grants: [
    {
      id: 'g',
      user_id: 'ann',
      role: 'platform_admin',
      scope_type: 'platform',
      scope_id: '',
      source: 'manual',
      granted_by: 'bob',
      created_at: 1,
    },
  ],
  platform_state: [{ key: 'setting', value: ODD, updated_at: 1 }],
  logout_tokens: [{ issuer: 'i', jti: 'j', expires_at: 1 }],
  logout_markers: [{ issuer: 'i', kind: 'sid', value: 'v', iat: 1, received_at: 2, expires_at: 3 }],
  audit_events: [
    { id: 'a1', actor_user_id: 'ann', action: 'room.create', metadata: '{"a":"\\n"}', created_at: 1 },
    { id: 'a2', action: 'auth.login', metadata: '{}', target_type: 'user', target_id: 'x', created_at: 2 },
  ],
  rooms: [
    {
      id: 'r',
      name: ODD,
      search_name: foldText(ODD),
      created_by: null,
      owner_id: 'ann',
      owner_since: 1,
      max_participants: 9,
      visibility: 'private',
      allow_guests: 1,
      default_role: 'speaker',
      history_visibility: 'all',
      retention_days: 7,
      voice: 'voice',
      voice_screen: 0,
      voice_guests: 'speak',
      last_seq: 42,
      created_at: 1,
      active_at: 1,
    },
    {
      id: 'd',
      kind: 'direct',
      name: '',
      search_name: '',
      owner_since: 1,
      visibility: 'private',
      allow_guests: 0,
      default_role: 'speaker',
      history_visibility: 'all',
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'off',
      direct_key: 'hash of ann and bob',
      last_seq: 0,
      created_at: 1,
      active_at: 1,
    },
    {
      id: 'e',
      name: 'Everyone',
      search_name: `everyone ${foldText(ODD)}`,
      topic: ODD,
      archived_at: NOW,
      is_default: 1,
      created_by: 'ann',
      owner_id: 'ann',
      owner_since: 1,
      visibility: 'public',
      allow_guests: 1,
      default_role: 'speaker',
      history_visibility: 'all',
      voice: 'video',
      voice_screen: 1,
      voice_guests: 'listen',
      last_seq: 0,
      created_at: 1,
      active_at: 1,
    },
  ],
  room_members: [
    {
      room_id: 'r',
      user_id: 'bob',
      role: 'moderator',
      joined_at: 1,
      joined_seq: 2,
      group_name: ODD,
      own_role: 'listener',
    },
    { room_id: 'd', user_id: 'bob', role: 'speaker', joined_at: 1, joined_seq: 0 },
  ],
  room_groups: [{ room_id: 'r', name: ODD, role: 'speaker' }],
  room_visits: [{ room_id: 'r', user_id: 'guest', started_at: 1, started_seq: 2, ended_at: null }],
  room_messages: [
    {
      id: 'm1',
      room_id: 'r',
      seq: 1,
      user_id: 'ann',
      author_name: 'A',
      author_guest: 0,
      content: ODD,
      created_at: 1,
    },
    {
      id: 'm2',
      room_id: 'r',
      seq: 2,
      author_name: 'B',
      author_guest: 1,
      content: null,
      created_at: 2,
      deleted_at: 3,
      deleted_by: 'ann',
    },
    {
      id: 'm0',
      room_id: 'r',
      seq: 3,
      user_id: 'bob',
      author_name: 'B',
      author_guest: 0,
      content: ODD,
      created_at: 3,
      edited_at: 4,
      reply_to: 'm1',
      reactions: '[{"emoji":"👍","count":1}]',
      pinned_seq: 6,
      group_mention: 'here',
    },
  ],
  room_user_states: [
    { room_id: 'r', user_id: 'ann', last_read_seq: 3, level: 'all', pushed_at: null },
    { room_id: 'r', user_id: 'bob', last_read_seq: 0, level: 'none', pushed_at: 7 },
    { room_id: 'd', user_id: 'bob', last_read_seq: 0, level: 'mentions', hidden_seq: 0 },
    { room_id: 'e', user_id: 'ann', last_read_seq: 0, level: 'mentions', starred: 1 },
    { room_id: 'e', user_id: 'bob', last_read_seq: 0, level: 'mentions', left_at: NOW },
  ],
  room_drafts: [{ user_id: 'ann', room_id: 'r', content: ODD, updated_at: 3 }],
  room_message_versions: [{ message_id: 'm0', seq: 4, content: ODD, created_at: 3 }],
  room_mentions: [{ message_id: 'm0', user_id: 'ann', room_id: 'r', seq: 3 }],
  room_reactions: [{ id: 'x', message_id: 'm0', seq: 5, user_id: 'ann', emoji: '👍', created_at: 5 }],
  room_events: [{ room_id: 'r', seq: 1, type: 'message.created', data: '{"x":"ö"}', created_at: 1 }],
  files: [
    {
      id: 'f0',
      room_id: 'r',
      user_id: 'ann',
      message_id: null,
      position: null,
      sha256: sha256(PLAN),
      name: ODD,
      bytes: PLAN.length,
      created_at: 1,
    },
    {
      id: 'f1',
      room_id: 'r',
      user_id: 'bob',
      message_id: 'm0',
      position: 0,
      sha256: sha256(PICTURE),
      name: 'picture.png',
      bytes: PICTURE.length,
      created_at: 1,
    },
  ],
  room_bans: [{ room_id: 'r', user_id: 'bob', kind: 'ban', reason: ODD, created_at: 1 }],
  room_invitations: [
    {
      id: 'v',
      room_id: 'r',
      token_hash: 't',
      permission: 'listener',
      expires_at: 9,
      max_uses: 5,
      created_by: 'ann',
      created_at: 1,
    },
  ],
  room_invitation_uses: [{ invitation_id: 'v', user_id: 'bob', used_at: 1 }],
  room_manual_roles: [
    { room_id: 'r', user_id: 'bob', role: 'listener', seq: 2, set_at: 1 },
    { room_id: 'r', user_id: 'guest', role: null, seq: 3, set_at: 2 },
  ],
  calls: [{ room_id: 'r', id: 'c', started_at: 1, started_by: 'ann', answer_until: NOW }],
  call_alerts: [{ user_id: 'bob', room_id: 'r', until: NOW }],
  room_ownership_transfers: [
    { room_id: 'r', from_user_id: 'ann', to_user_id: 'bob', expires_at: 9, created_at: 1 },
  ],
  nodes: [{ node_id: 'n', heartbeat: 1 }],
  online_users: [{ user_id: 'ann', node_id: 'n' }],
  presence_leases: [
    { connection_id: 'k', room_id: 'r', user_id: 'ann', session_id: 's0', node_id: 'n', expires_at: 1 },
  ],
  call_leases: [
    {
      connection_id: 'k',
      room_id: 'r',
      joined_at: 1,
      audio: 0,
      camera: 1,
      screen: 0,
      muted: 1,
      hand_at: 2,
      lost_at: 3,
    },
  ],
  ws_tickets: [{ ticket_hash: 'w', session_id: 's0', expires_at: 1 }],
  access_keys: [{ kid: 'k', public_key: 'public', private_key_sealed: 'sealed', created_at: 1 }],
  access_claims: [
    { user_id: 'ann', email: 'ann@example.com', groups: '["staff"]', conditions_hash: 'h', is_met: 1 },
  ],
  access_codes: [
    {
      code_hash: 'h',
      session_id: 's0',
      origin: 'https://go.example',
      challenge: 'c',
      expires_at: 1,
    },
  ],
  access_sessions: [
    {
      id: 'a1',
      session_id: 's0',
      origin: 'https://go.example',
      token_hash: 'h1',
      created_at: 1,
      expires_at: 2,
    },
    {
      id: 'a2',
      session_id: 's0',
      origin: 'https://go.example',
      token_hash: 'h2',
      created_at: 1,
      expires_at: 2,
      ended_seq: 1,
      ended_at: 2,
    },
  ],
}

/** Inserts all `rows` into a database without rows, and the words of the messages into their index. */
export async function fill(database: Database<Tables>): Promise<void> {
  await database.write(async (tx) => {
    for (const [table, some] of Object.entries(rows))
      for (const row of some)
        await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
          values (${sql.join(Object.values(row))})`.execute(tx)
    const messages = await tx.selectFrom('room_messages').selectAll().orderBy('created_at').execute()
    for (const { content, ...message } of messages)
      if (content !== null) await insertDocument(tx, message, searchDocument({ ...message, content }))
  })
}

/** The contents of the files of `fill`, by their keys. */
export const fileContents: Readonly<Record<string, string>> = {
  [sha256(PLAN)]: PLAN,
  [sha256(PICTURE)]: PICTURE,
  [thumbnailKey(sha256(PICTURE))]: THUMBNAIL,
}
