import { Failure, type FailureKind, type FieldProblem, transportFailures } from '@latchkey/http/failure'

/** The closed list of error codes of Rooms (R15.2), with their English texts. */
export const failures = {
  invalid_request: { status: 400, text: 'The request is not valid' },
  nickname_reserved: { status: 400, text: 'This name is reserved; choose another' },
  image_too_large: { status: 400, text: 'The image is too large to show; it can be sent as a file' },
  file_type_refused: { status: 400, text: 'This kind of file is not accepted' },
  unauthenticated: { status: 401, text: 'Sign in first' },
  forbidden: { status: 403, text: 'You do not have permission to do this' },
  cross_site_request: { status: 403, text: 'Requests from other sites are blocked' },
  csrf_failed: { status: 403, text: 'The x-csrf-token header is missing or belongs to another session' },
  guests_disabled: { status: 403, text: 'Guests are not allowed here' },
  guests_not_allowed: { status: 403, text: 'This room does not allow guests' },
  guest_rooms_disabled: { status: 403, text: 'Guests cannot create rooms here' },
  guest_not_permitted: { status: 403, text: 'Guests cannot do this; sign in first' },
  voice_off: { status: 403, text: 'There are no calls in this room' },
  banned: { status: 403, text: 'You are banned from this room' },
  cooldown: { status: 403, text: 'You were removed from this room; try again later' },
  reauth_required: { status: 403, text: 'This needs a recent sign-in; sign in again' },
  not_found: { status: 404, text: 'Not found' },
  method_not_allowed: { status: 405, text: 'This address does not support this method' },
  session_exists: { status: 409, text: 'You are already signed in' },
  not_present: { status: 409, text: 'This connection is not in the room' },
  voice_full: { status: 409, text: 'The call has as many people, cameras or screens as allowed' },
  archived: { status: 409, text: 'This room is archived' },
  room_not_public: { status: 409, text: 'Only a public room can be a default room' },
  room_full: { status: 409, text: 'This room is full' },
  already_member: { status: 409, text: 'This person is already a member with this role or a higher one' },
  target_is_owner: { status: 409, text: 'This person owns the room' },
  owner_must_transfer: { status: 409, text: 'You own this room; transfer or delete it first' },
  invitation_used: { status: 409, text: 'This invitation has been used up' },
  transfer_changed: { status: 409, text: 'This transfer has changed; read it again' },
  owns_rooms: { status: 409, text: 'This account owns rooms; transfer or delete them first' },
  own_account: { status: 409, text: 'You cannot do this to your own account' },
  account_disabled: { status: 409, text: 'The account is disabled' },
  edit_over: { status: 409, text: 'This message can no longer be edited' },
  message_changed: { status: 409, text: 'This message has been edited since; read it again' },
  deleted: { status: 409, text: 'This message was deleted' },
  too_many_reactions: { status: 409, text: 'This message has as many different reactions as allowed' },
  too_many_pins: { status: 409, text: 'This room has as many pinned messages as allowed' },
  last_admin: { status: 409, text: 'There must be at least one administrator' },
  limit_reached: { status: 409, text: 'You have reached the limit' },
  room_storage_full: { status: 409, text: 'The files of this room have used up its storage' },
  user_storage_full: { status: 409, text: 'Your files have used up your storage; delete some of them' },
  total_storage_full: { status: 409, text: 'The files here have used up the storage' },
  file_too_large: { status: 413, text: 'The file is too large' },
  too_large: { status: 413, text: 'The request is too large' },
  unsupported_media_type: { status: 415, text: 'Content-Type must be application/json' },
  range_not_satisfiable: { status: 416, text: 'The file has no such part' },
  wrong_host: { status: 421, text: 'The service is not available at this host name' },
  rate_limited: { status: 429, text: 'Too many requests; wait a moment and try again' },
  internal: { status: 500, text: 'Something went wrong on our side' },
  voice_unavailable: { status: 503, text: 'Calls are not available right now; try again later' },
  unavailable: { status: 503, text: 'Temporarily unavailable; try again later' },
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof failures

interface Details {
  text?: string
  headers?: Record<string, string>
  fields?: readonly FieldProblem[]
}

/** Failure of the list. A more specific `text` replaces the default. */
export function failure(code: FailureCode, { text, headers, fields }: Details = {}): Failure {
  const kind = failures[code]
  return new Failure(code, { status: kind.status, text: text ?? kind.text }, headers, fields)
}

/** Failure of the list whose answer has further members, such as the rooms that an account owns. */
export class DetailedFailure extends Failure {
  readonly members: Readonly<Record<string, unknown>>

  constructor(code: FailureCode, members: Readonly<Record<string, unknown>>) {
    super(code, failures[code])
    this.members = members
  }
}

/** Codes of this service for the failures of the shared transport. */
const TRANSPORT: Record<keyof typeof transportFailures, FailureCode> = {
  unauthorized: 'unauthenticated',
  forbidden: 'forbidden',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'too_large',
  unsupported_media_type: 'unsupported_media_type',
  invalid_json: 'invalid_request',
  invalid_request: 'invalid_request',
  too_many_requests: 'rate_limited',
  internal: 'internal',
  storage_unavailable: 'unavailable',
}

/** Code of this service for a code of the transport. Other codes are returned unchanged. */
export function toErrorCode(code: string): string {
  return Object.hasOwn(TRANSPORT, code) ? TRANSPORT[code as keyof typeof TRANSPORT] : code
}

/**
 * Returns the failure under a code of this service. The text is replaced only if the transport used
 * its default text.
 */
export function toListedFailure(thrown: Failure): Failure {
  if (!Object.hasOwn(TRANSPORT, thrown.code)) return thrown
  const transportCode = thrown.code as keyof typeof TRANSPORT
  const code = TRANSPORT[transportCode]
  const { status, text } = failures[code]
  const message = thrown.message === transportFailures[transportCode].text ? text : thrown.message
  return new Failure(code, { status, text: message }, thrown.headers, thrown.fields)
}
