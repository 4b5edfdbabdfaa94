import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { insertRoom } from '../rooms/store.ts'
import { insertUser } from '../users/store.ts'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

const ROOM = {
  id: 'room',
  name: 'Room',
  created_by: 'owner',
  owner_id: 'owner',
  owner_since: 0,
  max_participants: 50,
  visibility: 'public',
  allow_guests: 1,
  default_role: 'listener',
  history_visibility: 'all',
  retention_days: 30,
  voice: 'video',
  voice_screen: 1,
  voice_guests: 'listen',
  last_seq: 0,
  created_at: 0,
  active_at: 0,
} as const

/** Inserts an invitation with this number of uses. */
const invitation = (id: string, token: string | null, invitee: string | null, uses: number) =>
  sql`insert into room_invitations (id, room_id, token_hash, invited_user_id, permission, expires_at, max_uses, use_count,
    created_by, created_at) values (${id}, 'room', ${token}, ${invitee}, 'speaker', 1, 1, ${uses}, 'owner', 0)`

const member = (role: string) =>
  sql`insert into room_members (room_id, user_id, role, joined_at, joined_seq) values ('room', 'guest', ${role}, 0, 0)`

const identity = (userId: string) =>
  sql`insert into identities (id, user_id, issuer, subject, mode, created_at)
    values ('identity', ${userId}, 'https://idp.example', 'alice', 'oidc', 0)`

const message = (seq: number, userId: string, content: string | null) =>
  sql`insert into room_messages (id, room_id, seq, user_id, author_name, author_guest, content, created_at)
    values (${`message ${userId} ${seq} ${content}`}, 'room', ${seq}, ${userId}, '#', 0, ${content}, 0)`

const reaction = (id: string, messageId: string) =>
  sql`insert into room_reactions (id, message_id, seq, user_id, emoji, created_at)
    values (${id}, ${messageId}, 2, 'guest', '👍', 0)`

const MESSAGE_ID = 'message owner 1 Hello'

const event = (type: string) =>
  sql`insert into room_events (room_id, seq, type, data, created_at) values ('room', 1, ${type}, '{}', 0)`

const REFUSED = {
  'a room without an owner': sql`update rooms set owner_id = null`,
  'a direct conversation that everyone sees': sql`update rooms set kind = 'direct', owner_id = null, name = '',
    direct_key = 'k'`,
  'a direct conversation without its people': sql`update rooms set kind = 'direct', owner_id = null, name = '',
    visibility = 'private'`,
  'a private room that everyone joins': sql`update rooms set is_default = 1, visibility = 'private'`,
  'a room whose owner does not exist': sql`update rooms set owner_id = 'stranger'`,
  'the deletion of an owner': sql`delete from users where id = 'owner'`,
  'a second owner among the members': member('owner'),
  'an unknown role': member('king'),
  'an unknown visibility': sql`update rooms set visibility = 'hidden'`,
  'more uses of an invitation than it has': invitation('used', 'hash', null, 2),
  'an invitation for a person and for everyone with the link': invitation('both', 'hash', 'guest', 0),
  'an invitation for no one': invitation('neither', null, null, 0),
  'an identity of a guest': identity('guest'),
  'a message with neither a text nor a time of deletion': message(2, 'owner', null),
  'a message of an unknown user': message(2, 'stranger', 'Hello'),
  'two messages with one sequence number': message(1, 'owner', 'Hello again'),
  'a deleted message with a pin': sql`update room_messages set content = null, deleted_at = 1, pinned_seq = 2`,
  'a deleted message with reactions': sql`update room_messages set content = null, deleted_at = 1, reactions = '[]'`,
  'a mention of an unknown group': sql`update room_messages set group_mention = 'all'`,
  'a reply to no message': sql`update room_messages set reply_to = 'nothing'`,
  'the same reaction twice': sql`insert into room_reactions (id, message_id, seq, user_id, emoji, created_at)
    values ('a', ${MESSAGE_ID}, 2, 'guest', '👍', 0), ('b', ${MESSAGE_ID}, 3, 'guest', '👍', 0)`,
  'a reaction to no message': reaction('reaction', 'nothing'),
  'a mention of an unknown user': sql`insert into room_mentions (message_id, user_id, room_id, seq)
    values (${MESSAGE_ID}, 'stranger', 'room', 1)`,
  'an unknown type of event': event('message.forgotten'),
} as const

eachDialect((_dialect, newUrl) => {
  let database: Database<Tables>

  beforeAll(async () => {
    database = openDatabase<Tables>(await newUrl())
    await migrate(database, migrations)
    await database.write(async (tx) => {
      await insertUser(tx, { id: 'owner', nickname: 'Owner', email: null, is_guest: 0 }, 0)
      await insertUser(tx, { id: 'guest', nickname: 'Guest', email: null, is_guest: 1 }, 0)
      await insertRoom(tx, ROOM)
      await message(1, 'owner', 'Hello').execute(tx)
    })
  })

  afterAll(() => database.close())

  for (const [description, statement] of Object.entries(REFUSED))
    test(`R20 R28.28: the database itself refuses ${description}`, () =>
      expect(database.write((tx) => statement.execute(tx))).rejects.toThrow())

  test('R20: the same statements are accepted with values that the rules permit', async () => {
    const accepted = [
      member('speaker'),
      invitation('link', 'hash', null, 1),
      invitation('targeted', null, 'guest', 0),
      identity('owner'),
      sql`update rooms set visibility = 'unlisted'`,
      message(2, 'owner', 'Hello again'),
      reaction('reaction', MESSAGE_ID),
      event('message.edited'),
    ]
    await database.write(async (tx) => {
      for (const statement of accepted) await statement.execute(tx)
    })
  })
})
