/** Every limit of R22 that `ROOMS_LIMITS` can change, with its default. */
export const DEFAULT_LIMITS = {
  http_per_minute: 600,
  http_anonymous_per_minute: 300,
  body_bytes: 65_536,
  login_start_per_minute: 20,
  callback_per_minute: 60,
  backchannel_per_minute: 600,
  login_states_browser: 10,
  login_states_prefix: 100,
  login_states_total: 10_000,
  guest_create_per_minute: 5,
  guest_create_per_hour: 30,
  guest_create_total_per_minute: 200,
  guest_sockets_prefix: 10,
  guest_present_room: 50,
  guest_share_percent: 70,
  guest_messages_per_10s: 5,
  guest_message_length: 1000,
  guest_rename_per_minute: 1,
  guest_rooms: 2,
  guest_rooms_per_hour: 2,
  messages_per_10s: 20,
  message_length: 2000,
  message_edit_hours: 24,
  edits_per_message: 50,
  reaction_kinds: 20,
  reactions_per_10s: 20,
  pins_room: 50,
  message_searches_per_minute: 60,
  file_bytes: 26_214_400,
  files_per_message: 10,
  files_per_hour: 100,
  uploads_person: 10,
  room_bytes: 2_147_483_648,
  user_bytes: 5_368_709_120,
  total_bytes: 21_474_836_480,
  image_pixels: 50_000_000,
  image_seconds_per_hour: 120,
  voice_people_mesh: 8,
  voice_cameras_mesh: 4,
  voice_people: 50,
  voice_cameras: 25,
  voice_screens: 2,
  call_alert_seconds: 30,
  voice_joins_per_minute: 20,
  voice_signals_per_10s: 300,
  rooms_owned: 100,
  default_rooms: 20,
  rooms_per_hour: 20,
  directs_per_hour: 60,
  drafts_person: 200,
  groups_room: 50,
  group_length: 200,
  invitations_live: 200,
  invitations_per_hour: 60,
  invitation_failures_per_hour: 10,
  search_per_minute: 10,
  room_writes_per_minute: 300,
  exports_per_hour: 10,
  push_subscriptions_per_hour: 30,
  picture_bytes: 8_388_608,
  blocks_person: 1000,
  people_searches_per_minute: 60,
  socket_people: 200,
  admin_writes_per_minute: 60,
  sockets_session: 10,
  sockets_user: 20,
  sockets_total: 20_000,
  sessions_user: 20,
  socket_connects_per_minute: 30,
  socket_messages_per_10s: 60,
  socket_subscriptions: 50,
} as const

export type LimitName = keyof typeof DEFAULT_LIMITS
export type Limits = Readonly<Record<LimitName, number>>

/** Limits that may be 0, which turns the feature off. All others are at least 1. */
const SWITCHES: ReadonlySet<LimitName> = new Set([
  'message_edit_hours',
  'reaction_kinds',
  'reactions_per_10s',
  'pins_room',
  'message_searches_per_minute',
  'file_bytes',
  'files_per_message',
  'room_bytes',
  'user_bytes',
  'total_bytes',
  'image_pixels',
  'voice_cameras_mesh',
  'voice_cameras',
  'voice_screens',
  'call_alert_seconds',
  'directs_per_hour',
  'drafts_person',
  'groups_room',
])

const MAX_VALUE = 1_000_000_000
const MAX_BYTES = 1_000_000_000_000

/**
 * Parses comma-separated `key=number` pairs. Undefined for an unknown or repeated key and for a
 * value that is not a whole number in the range of its limit.
 */
export function parseLimits(text: string): Limits | undefined {
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS }
  const keys = new Set<string>()
  for (const entry of text.split(',')) {
    const [, name = '', digits] = /^\s*([a-z0-9_]+)\s*=\s*(0|[1-9]\d{0,12})\s*$/.exec(entry) ?? []
    if (!isLimit(name) || keys.has(name) || Number(digits) > maxOf(name)) return undefined
    if (digits === '0' && !SWITCHES.has(name)) return undefined
    keys.add(name)
    limits[name] = Number(digits)
  }
  return limits
}

function maxOf(name: LimitName): number {
  return name.endsWith('_bytes') ? MAX_BYTES : MAX_VALUE
}

function isLimit(name: string): name is LimitName {
  return Object.hasOwn(DEFAULT_LIMITS, name)
}
