/** Files of rooms and their contents, which the file storage keeps by SHA-256. */
export function fileTables({ int, text, table }: Record<'int' | 'text' | 'table', string>): string[] {
  return [
    // Several files can have the same content. Only a content without files is deleted, and only
    // after `claimed_at`, by which an upload protects it.
    `create table file_contents (
      sha256 ${text} not null primary key check (length(sha256) = 64),
      type ${text} not null,
      width ${int} check (width > 0),
      height ${int} check (height > 0),
      thumbnail_bytes ${int} check (thumbnail_bytes > 0),
      claimed_at ${int} not null,
      may_be_unused ${int} not null check (may_be_unused in (0, 1)),
      deleting_at ${int},
      check ((width is null) = (height is null) and (width is null) = (thumbnail_bytes is null)),
      check (deleting_at is null or may_be_unused = 1)
    ) ${table}`,
    'create index file_contents_unused on file_contents (claimed_at) where may_be_unused = 1',
    // Like messages, files have no foreign key to rooms.
    `create table files (
      id ${text} not null primary key,
      room_id ${text} not null,
      user_id ${text} not null references users (id) on delete cascade,
      message_id ${text} references room_messages (id) on delete cascade,
      position ${int},
      sha256 ${text} not null references file_contents (sha256),
      name ${text} not null check (name <> ''),
      bytes ${int} not null check (bytes > 0),
      created_at ${int} not null,
      unique (message_id, position),
      check ((message_id is null) = (position is null))
    ) ${table}`,
    'create index files_by_room on files (room_id, bytes)',
    'create index files_by_user on files (user_id, created_at)',
    'create index files_by_content on files (sha256)',
    'create index files_unattached on files (created_at) where message_id is null',
  ]
}

/** Marks the content of a deleted file, which may have been its last. */
export const fileTriggers = {
  sqlite: [
    `create trigger files_deleted after delete on files begin
      update file_contents set may_be_unused = 1 where sha256 = old.sha256;
    end`,
  ],
  postgres: [
    `create function mark_unused_content() returns trigger language plpgsql as $$ begin
      update file_contents set may_be_unused = 1 where sha256 = old.sha256;
      return null;
    end $$`,
    'create trigger files_deleted after delete on files for each row execute function mark_unused_content()',
  ],
}
