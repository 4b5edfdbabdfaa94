const ROLES = `('moderator', 'speaker', 'listener')`

/** Rooms, the people in them, and their messages. */
export function roomTables({ int, text, table }: Record<'int' | 'text' | 'table', string>): string[] {
  return [
    // There is exactly one owner by construction: ownership exists only in owner_id, and owners
    // have no row in room_members.
    `create table rooms (
      id ${text} not null primary key,
      name ${text} not null check (name <> ''),
      search_name ${text} not null,
      created_by ${text} references users (id) on delete set null,
      owner_id ${text} not null references users (id) on delete restrict,
      owner_since ${int} not null,
      max_participants ${int} not null check (max_participants between 1 and 100),
      visibility ${text} not null check (visibility in ('public', 'unlisted', 'private')),
      allow_guests ${int} not null check (allow_guests in (0, 1)),
      default_role ${text} not null check (default_role in ('speaker', 'listener')),
      history_visibility ${text} not null check (history_visibility in ('all', 'since_membership', 'none')),
      retention ${text} not null check (retention in ('7', '30', 'forever')),
      voice ${text} not null check (voice in ('off', 'voice', 'video')),
      voice_screen ${int} not null check (voice_screen in (0, 1)),
      voice_guests ${text} not null check (voice_guests in ('off', 'listen', 'speak')),
      last_seq ${int} not null default 0,
      created_at ${int} not null,
      active_at ${int} not null
    ) ${table}`,
    'create index rooms_by_age on rooms (created_at, id)',
    'create index rooms_by_owner on rooms (owner_id)',
    'create index rooms_by_creator on rooms (created_by) where created_by is not null',
    `create table room_members (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} not null check (role in ${ROLES}),
      joined_at ${int} not null,
      joined_seq ${int} not null,
      primary key (room_id, user_id)
    ) ${table}`,
    'create index room_members_by_user on room_members (user_id)',
    `create table room_visits (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      started_at ${int} not null,
      started_seq ${int} not null,
      ended_at ${int},
      primary key (room_id, user_id)
    ) ${table}`,
    'create index room_visits_by_user on room_visits (user_id)',
    'create index room_visits_open on room_visits (room_id) where ended_at is null',
    'create index room_visits_ended on room_visits (ended_at) where ended_at is not null',
    // What a user keeps about a room, with or without a membership (R30).
    `create table room_user_states (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      last_read_seq ${int} not null check (last_read_seq >= 0),
      level ${text} not null default 'mentions' check (level in ('all', 'mentions', 'none')),
      pushed_at ${int},
      primary key (room_id, user_id)
    ) ${table}`,
    'create index room_user_states_by_user on room_user_states (user_id)',
    `create table nodes (
      node_id ${text} not null primary key,
      heartbeat ${int} not null
    ) ${table}`,
    `create table presence_leases (
      connection_id ${text} not null,
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      session_id ${text} not null references sessions (id) on delete cascade,
      node_id ${text} not null,
      expires_at ${int} not null,
      primary key (connection_id, room_id)
    ) ${table}`,
    'create index presence_leases_by_room on presence_leases (room_id, user_id)',
    'create index presence_leases_by_node on presence_leases (node_id)',
    'create index presence_leases_by_user on presence_leases (user_id)',
    'create index presence_leases_by_session on presence_leases (session_id)',
    // Messages and events have no foreign key to rooms: after a room is deleted, its content is
    // deleted in batches (docs/decisions/0017). author_name is # and the start of the author's id:
    // names are stored only in users (docs/decisions/0014).
    `create table room_messages (
      id ${text} not null primary key,
      room_id ${text} not null,
      seq ${int} not null,
      user_id ${text} references users (id) on delete set null,
      author_name ${text} not null,
      author_guest ${int} not null check (author_guest in (0, 1)),
      content ${text},
      client_id ${text},
      created_at ${int} not null,
      edited_at ${int},
      reply_to ${text} references room_messages (id) on delete set null,
      reactions ${text},
      pinned_seq ${int},
      group_mention ${text} check (group_mention in ('here', 'room')),
      file_count ${int} check (file_count > 0),
      deleted_at ${int},
      deleted_by ${text} references users (id) on delete set null,
      unique (room_id, seq),
      unique (room_id, user_id, client_id),
      check ((content is null) = (deleted_at is not null)),
      check (deleted_at is null
        or (edited_at is null and reply_to is null and reactions is null and pinned_seq is null
          and group_mention is null and file_count is null))
    ) ${table}`,
    'create index room_messages_by_age on room_messages (room_id, created_at)',
    'create index room_messages_by_deleter on room_messages (deleted_by) where deleted_by is not null',
    // Reads the messages of an author in order, a page at a time.
    'create index room_messages_by_user on room_messages (user_id, created_at)',
    'create index room_messages_by_reply on room_messages (reply_to) where reply_to is not null',
    'create index room_messages_pinned on room_messages (room_id, pinned_seq) where pinned_seq is not null',
    // The earlier texts of an edited message, each with the sequence number of the edit that
    // replaced it and the time at which it was written.
    `create table room_message_versions (
      message_id ${text} not null references room_messages (id) on delete cascade,
      seq ${int} not null,
      content ${text} not null,
      created_at ${int} not null,
      primary key (message_id, seq)
    ) ${table}`,
    // The people whom a message mentions and who may read it. seq is that of the message: with it,
    // unread mentions are counted from the index.
    `create table room_mentions (
      message_id ${text} not null references room_messages (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      room_id ${text} not null,
      seq ${int} not null,
      primary key (message_id, user_id)
    ) ${table}`,
    'create index room_mentions_by_user on room_mentions (user_id, room_id, seq)',
    // user_id becomes null when the account is erased: the reaction still counts.
    `create table room_reactions (
      id ${text} not null primary key,
      message_id ${text} not null references room_messages (id) on delete cascade,
      seq ${int} not null,
      user_id ${text} references users (id) on delete set null,
      emoji ${text} not null,
      created_at ${int} not null,
      unique (message_id, user_id, emoji)
    ) ${table}`,
    'create index room_reactions_by_user on room_reactions (user_id, created_at) where user_id is not null',
    `create table room_events (
      room_id ${text} not null,
      seq ${int} not null,
      type ${text} not null check (type in ('message.created', 'message.edited', 'message.deleted',
        'message.reactions', 'message.pinned', 'message.unpinned', 'member.joined', 'member.left',
        'member.removed', 'member.role', 'room.settings', 'room.owner',
        'call.started', 'call.ended')),
      data ${text} not null,
      created_at ${int} not null,
      primary key (room_id, seq)
    ) ${table}`,
    // Reads the events between messages, past any number of reactions.
    `create index room_events_between on room_events (room_id, seq) where substr(type, 1, 8) <> 'message.'`,
    'create index room_events_by_age on room_events (room_id, created_at)',
    `create table room_bans (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      kind ${text} not null check (kind in ('kick', 'ban')),
      role_held ${text} check (role_held in ${ROLES}),
      guest_prefix ${text},
      reason ${text},
      banned_by ${text} references users (id) on delete set null,
      expires_at ${int},
      created_at ${int} not null,
      primary key (room_id, user_id),
      check (kind = 'ban' or expires_at is not null)
    ) ${table}`,
    'create index room_bans_by_user on room_bans (user_id)',
    'create index room_bans_by_banner on room_bans (banned_by) where banned_by is not null',
    // offered_seq is the last sequence number of the room when the invitation was created or
    // renewed. It shows whether a manual role is newer (R17.6): clocks of nodes differ.
    `create table room_invitations (
      id ${text} not null primary key,
      room_id ${text} not null references rooms (id) on delete cascade,
      token_hash ${text} unique,
      invited_user_id ${text} references users (id) on delete cascade,
      permission ${text} not null check (permission in ${ROLES}),
      expires_at ${int} not null,
      max_uses ${int} not null check (max_uses between 1 and 1000),
      use_count ${int} not null default 0 check (use_count between 0 and max_uses),
      declined_at ${int},
      created_by ${text} not null references users (id) on delete cascade,
      created_at ${int} not null,
      offered_seq ${int} not null default 0,
      check ((token_hash is null) <> (invited_user_id is null)),
      check (invited_user_id is null or max_uses = 1)
    ) ${table}`,
    // One pending invitation per person and room.
    `create unique index room_invitations_pending on room_invitations (room_id, invited_user_id)
      where invited_user_id is not null and use_count = 0 and declined_at is null`,
    'create index room_invitations_by_room on room_invitations (room_id, created_at)',
    'create index room_invitations_by_invitee on room_invitations (invited_user_id) where invited_user_id is not null',
    'create index room_invitations_by_creator on room_invitations (created_by)',
    // Each person uses an invitation once (R17.6).
    `create table room_invitation_uses (
      invitation_id ${text} not null references room_invitations (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      used_at ${int} not null,
      primary key (invitation_id, user_id)
    ) ${table}`,
    'create index room_invitation_uses_by_user on room_invitation_uses (user_id)',
    // The last role set manually for a user in a room, null after a kick or ban. It limits older
    // invitations (R17.6).
    `create table room_manual_roles (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} check (role in ${ROLES}),
      seq ${int} not null,
      set_at ${int} not null,
      primary key (room_id, user_id)
    ) ${table}`,
    'create index room_manual_roles_by_user on room_manual_roles (user_id)',
    'create index room_manual_roles_by_age on room_manual_roles (set_at)',
    `create table room_ownership_transfers (
      room_id ${text} not null primary key references rooms (id) on delete cascade,
      from_user_id ${text} not null references users (id) on delete cascade,
      to_user_id ${text} not null references users (id) on delete cascade,
      expires_at ${int} not null,
      created_at ${int} not null
    ) ${table}`,
    'create index room_ownership_transfers_by_recipient on room_ownership_transfers (to_user_id)',
    'create index room_ownership_transfers_by_sender on room_ownership_transfers (from_user_id)',
    `create table ws_tickets (
      ticket_hash ${text} not null primary key,
      session_id ${text} not null references sessions (id) on delete cascade,
      expires_at ${int} not null
    ) ${table}`,
    'create index ws_tickets_by_session on ws_tickets (session_id)',
    'create index ws_tickets_by_end on ws_tickets (expires_at)',
  ]
}
