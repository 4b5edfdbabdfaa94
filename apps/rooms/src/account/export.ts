import { toAuditLine } from '../audit/schema.ts'
import type { Context } from '../api/context.ts'
import { toNotificationSettings } from '../notifications/schema.ts'
import { findNotificationSettings } from '../notifications/store.ts'
import { toOwnStatus } from '../people/schema.ts'
import type { ProfileRow } from '../people/store.ts'
import { avatarUrlOf } from '../users/picture-url.ts'
import { toListedSession } from '../sessions/schema.ts'
import { toUser } from '../users/schema.ts'
import { toMoment, toMomentOrNull } from '../api/wire.ts'
import { exportRooms, toExportedMessage, toExportedReaction } from './rooms.ts'
import type { AccountExport } from './schema.ts'
import {
  type AccountRows,
  findAccountRows,
  pagesOfActivity,
  pagesOfMessages,
  pagesOfReactions,
} from './store.ts'

/**
 * The JSON text of an `AccountExport`, as a stream. Rows are read while it is consumed, so years of
 * messages and activity are never in memory at once.
 */
export async function collectAccount(context: Context): Promise<ReadableStream<Uint8Array>> {
  const { user, platformAdmin, session } = context.actor
  const db = context.database.read
  const { identity, grants, sessions, blocks, profile, access } = await findAccountRows(db, user.id)
  const account: Omit<AccountExport, 'rooms' | 'activity'> = {
    exportedAt: toMoment(context.now),
    user: {
      ...toUser(user, platformAdmin),
      createdAt: toMoment(user.created_at),
      lastSeenAt: toMoment(user.last_seen_at),
    },
    identity: {
      issuer: identity.issuer,
      subject: identity.subject,
      mode: identity.mode,
      createdAt: toMoment(identity.created_at),
    },
    grants: grants.map((grant) => ({
      role: grant.role,
      scopeType: grant.scope_type,
      scopeId: grant.scope_id,
      source: grant.source,
      createdAt: toMoment(grant.created_at),
    })),
    sessions: sessions.map((row) => toExportedSession(row, session.id)),
    notifications: toNotificationSettings(await findNotificationSettings(db, user.id)),
    profile: toExportedProfile(profile, context.now),
    blocks: blocks.map(({ blocked_id, created_at }) => ({
      userId: blocked_id,
      createdAt: toMoment(created_at),
    })),
    access: access && {
      email: access.email,
      groups: access.groups === null ? null : (JSON.parse(access.groups) as string[]),
      mayEnter: access.is_met === 1,
    },
  }
  return toByteStream(exportChunks(context, account, await exportRooms(context.database, user.id)))
}

/** Reads the next chunk only when the consumer asks for it. */
function toByteStream(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await text.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await text.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* exportChunks(
  { database: { read }, log, requestId }: Context,
  account: Omit<AccountExport, 'rooms' | 'activity'>,
  rooms: Omit<AccountExport['rooms'], 'messages' | 'reactions'>,
): AsyncGenerator<string> {
  const { id } = account.user
  try {
    yield `${openJson(account)},"rooms":${openJson(rooms)},"messages":[`
    yield* jsonItems(pagesOfMessages(read, id), toExportedMessage)
    yield '],"reactions":['
    yield* jsonItems(pagesOfReactions(read, id), toExportedReaction)
    yield ']},"activity":['
    yield* jsonItems(pagesOfActivity(read, id), toAuditLine)
    yield ']}'
  } catch (error) {
    log.error('account export: aborted', { requestId, error })
    throw error
  }
}

/** JSON of an object without its closing brace. The caller appends more members. */
function openJson(object: object): string {
  return JSON.stringify(object).slice(0, -1)
}

async function* jsonItems<Row>(
  pages: AsyncGenerator<Row[]>,
  toLine: (row: Row) => object,
): AsyncGenerator<string> {
  let comma = ''
  for await (const rows of pages) {
    yield comma + rows.map((row) => JSON.stringify(toLine(row))).join(',')
    comma = ','
  }
}

function toExportedProfile(row: ProfileRow, nowMs: number): AccountExport['profile'] {
  const { title, time_zone: timeZone, picture_id, picture_sha256: sha256, picture_bytes: bytes } = row
  const url = avatarUrlOf(picture_id)
  return {
    title,
    timeZone,
    picture: url !== null && sha256 !== null && bytes !== null ? { url, bytes, sha256 } : null,
    status: toOwnStatus(row, nowMs),
  }
}

function toExportedSession(row: AccountRows['sessions'][number], currentId: string) {
  return {
    ...toListedSession(row, currentId),
    address: row.client_ip,
    endedAt: toMomentOrNull(row.revoked_at),
    endReason: row.revoke_reason,
    pushEndpoint: row.endpoint,
  }
}
