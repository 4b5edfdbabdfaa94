import type { Transaction } from 'kysely'
import { type Context, operation } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { CHANGE_REFUSALS, REFUSALS, requirePermission } from '../rooms/admission.ts'
import { toMoment } from '../wire.ts'
import {
  type MessageAccess,
  appendMessageEvent,
  findReadableMessage,
  lockMessage,
  requireNotDeleted,
} from './change.ts'
import { requireContent, requireLength } from './content.ts'
import { permittedGroup, replaceMentions } from './mentions.ts'
import { EditedMessage, MessageAnswer, MessageParams, MessageVersions } from './schema.ts'
import type { LiveMessage } from './store.ts'
import { listVersions, replaceContent } from './version-store.ts'
import { readerOf, viewMessage } from './view.ts'

const tag = 'Messages'
const HOUR_MS = 3_600_000

interface Edit extends MessageAccess {
  /** Undefined if the message already had this text. */
  seq?: number
}

const edit = operation({
  id: 'editMessage',
  methods: ['PATCH'],
  path: '/rooms/{id}/messages/{messageId}',
  scope: 'session',
  tag,
  summary: 'Change the text of your own message',
  params: MessageParams,
  body: EditedMessage,
  result: MessageAnswer,
  failures: [...CHANGE_REFUSALS, 'edit_over', 'deleted'],
  async handler(context, { params, body: { content } }) {
    requireLength(context, content)
    const { message, access, seq } = await context.database.write(async (tx): Promise<Edit> => {
      const target = await lockMessage(tx, context, params, requireAuthor)
      return target.message.content === content ? target : storeContent(tx, context, target, content)
    })
    // This node reads the event from the log, like all others.
    if (seq !== undefined) context.publish({ kind: 'last_seq', roomId: access.roomId, seq })
    return { message: await viewMessage(context.database.read, readerOf(access, context.now), message) }
  },
})

function requireAuthor({ message, access }: MessageAccess): void {
  if (message.user_id !== access.userId)
    throw failure('forbidden', { text: 'Only its author can edit a message' })
}

async function storeContent(
  tx: Transaction<Tables>,
  context: Context,
  { message, access }: MessageAccess & { message: LiveMessage },
  content: string,
): Promise<Edit> {
  const { policy, now: nowMs } = context
  requireContent(content, message.file_count ?? 0)
  if (nowMs - message.created_at >= policy.limits.message_edit_hours * HOUR_MS) throw failure('edit_over')
  const { seq } = await appendMessageEvent(
    tx,
    { message, access },
    { event: 'message.edited', data: {}, nowMs },
  )
  const changes = { content, group_mention: permittedGroup(content, access), seq, nowMs }
  const edited = await replaceContent(tx, message, changes)
  await replaceMentions(tx, context, { before: message, after: edited })
  return { access, seq, message: edited }
}

const versions = operation({
  id: 'listMessageVersions',
  methods: ['GET'],
  path: '/rooms/{id}/messages/{messageId}/versions',
  scope: 'session',
  tag,
  summary: 'Read the earlier texts of an edited message, as a moderator',
  params: MessageParams,
  result: MessageVersions,
  failures: [...REFUSALS, 'deleted'],
  async handler(context, { params }) {
    const { message, access } = await findReadableMessage(context, params)
    requirePermission('read_message_versions', access)
    requireNotDeleted(message)
    const rows = await listVersions(context.database.read, [message.id])
    return { versions: rows.map(({ content, created_at }) => ({ content, at: toMoment(created_at) })) }
  },
})

export const editOperations = [edit, versions]
