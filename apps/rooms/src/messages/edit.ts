import { HOUR_MS } from '@latchkey/http/duration'
import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { DetailedFailure, failure } from '../api/failures.ts'
import { SeqPageQuery, findSeqPage } from '../api/paging.ts'
import { CHANGE_REFUSALS, REFUSALS, requirePermission } from '../rooms/admission.ts'
import { requirePlace } from '../rooms/visits.ts'
import { toMoment, toMomentOrNull } from '../api/wire.ts'
import {
  type MessageAccess,
  appendMessageEvent,
  findReadableMessage,
  lockMessage,
  requireNotDeleted,
} from './change.ts'
import { requireContent } from './content.ts'
import { requireLength } from '../rooms/message-length.ts'
import { permittedGroup, replaceMentions } from './mentions.ts'
import { EditedMessage, MessageAnswer, MessageParams, MessageVersions } from './schema.ts'
import type { LiveMessage } from './store.ts'
import { countVersions, listVersionsOf, replaceContent } from './version-store.ts'
import { readerOf, viewMessage } from './view.ts'

const tag = 'Messages'

interface Edit extends MessageAccess {
  /** Undefined if nothing was stored. */
  seq?: number
  /** True if the message was edited after the version that the caller has changed. */
  hasChanged?: boolean
}

const editMessage = operation({
  id: 'editMessage',
  methods: ['PATCH'],
  path: '/rooms/{id}/messages/{messageId}',
  scope: 'session',
  tag,
  summary: 'Change the text of your own message',
  params: MessageParams,
  body: EditedMessage,
  result: MessageAnswer,
  failures: [
    ...CHANGE_REFUSALS,
    'archived',
    'room_full',
    'edit_over',
    'deleted',
    'limit_reached',
    'message_changed',
  ],
  async handler(context, { params, body: { content, editedAt } }) {
    requireLength(context, content)
    const { message, access, seq, hasChanged } = await context.database.write(async (tx): Promise<Edit> => {
      const target = await lockMessage(tx, context, params, requireAuthor)
      await requirePlace(tx, target.access, context)
      const { edited_at, content: before } = target.message
      if (before === content) return target
      const isNewest = editedAt === undefined || toMomentOrNull(edited_at) === editedAt
      return isNewest ? storeContent(tx, context, target, content) : { ...target, hasChanged: true }
    })
    // This node reads the event from the log, like all others.
    if (seq !== undefined) context.publish({ kind: 'last_seq', roomId: access.roomId, seq })
    const view = await viewMessage(context.database.read, readerOf(access, context.now), message)
    if (hasChanged) throw new DetailedFailure('message_changed', { message: view })
    return { message: view }
  },
})

function requireAuthor({ message, access }: MessageAccess): void {
  if (message.user_id !== access.userId)
    throw failure('forbidden', { text: 'Only its author can edit a message' })
}

/** Each edit keeps the text before it, which moderators can read. */
async function requireFurtherEdit(tx: Tx, context: Context, id: string): Promise<void> {
  if ((await countVersions(tx, id)) >= context.policy.limits.edits_per_message)
    throw failure('limit_reached', { text: 'This message has been edited as often as allowed' })
}

async function storeContent(
  tx: Tx,
  context: Context,
  { message, access }: MessageAccess & { message: LiveMessage },
  content: string,
): Promise<Edit> {
  const { policy, now: nowMs } = context
  requireContent(content, message.file_count ?? 0)
  if (nowMs - message.created_at >= policy.limits.message_edit_hours * HOUR_MS) throw failure('edit_over')
  await requireFurtherEdit(tx, context, message.id)
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

const listMessageVersions = operation({
  id: 'listMessageVersions',
  methods: ['GET'],
  path: '/rooms/{id}/messages/{messageId}/versions',
  scope: 'session',
  tag,
  summary: 'Read the earlier texts of an edited message, as a moderator',
  params: MessageParams,
  query: SeqPageQuery,
  result: MessageVersions,
  failures: [...REFUSALS, 'deleted'],
  async handler(context, { params, query }) {
    const { message, access } = await findReadableMessage(context, params)
    requirePermission('read_message_versions', access)
    requireNotDeleted(message)
    const { rows, nextCursor } = await findSeqPage(query, (after, limit) =>
      listVersionsOf(context.database.read, message.id, after, limit),
    )
    return {
      versions: rows.map(({ content, created_at }) => ({ content, at: toMoment(created_at) })),
      nextCursor,
    }
  },
})

export const editOperations = [editMessage, listMessageVersions]
