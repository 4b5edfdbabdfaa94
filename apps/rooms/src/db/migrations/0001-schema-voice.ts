/** Calls that go on now, and the connections in them. */
export function voiceTables({ int, text, table }: Record<'int' | 'text' | 'table', string>): string[] {
  const flag = (name: string) => `${name} ${int} not null check (${name} in (0, 1))`
  return [
    `create table calls (
      room_id ${text} not null primary key references rooms (id) on delete cascade,
      id ${text} not null unique,
      started_at ${int} not null
    ) ${table}`,
    // A connection is in a call only while it is in the room: whatever deletes its presence lease
    // (R17.7) also takes it out of the call. lost_at: the socket is closed, and the call goes on for
    // the time in which its user may return.
    `create table call_leases (
      connection_id ${text} not null,
      room_id ${text} not null references calls (room_id) on delete cascade,
      joined_at ${int} not null,
      ${flag('audio')},
      ${flag('camera')},
      ${flag('screen')},
      ${flag('muted')},
      hand_at ${int},
      lost_at ${int},
      primary key (connection_id, room_id),
      foreign key (connection_id, room_id) references presence_leases (connection_id, room_id)
        on delete cascade,
      check (audio = 0 or muted = 0)
    ) ${table}`,
    'create index call_leases_by_room on call_leases (room_id)',
  ]
}
