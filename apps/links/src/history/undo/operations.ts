import { operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import { selectChanges } from '../list.ts'
import { ChangesToUndo, MAX_UNDONE_CHANGES, UndoResult } from './schema.ts'
import { undoRows } from './undo.ts'

const undoChanges = operation({
  id: 'undoChanges',
  methods: ['POST'],
  path: '/changes/undo',
  scope: 'create',
  tag: 'History',
  summary: 'Undo your changes since a moment, or those of an assistant; administrators those of everyone',
  body: ChangesToUndo,
  result: UndoResult,
  lasting: true,
  failures: ['not_admin_undo', 'too_many_changes'],
  async handler(context, { body }) {
    const { identity, isAdmin, database } = context
    if (!isAdmin && body.identity !== undefined && body.identity !== identity) throw failure('not_admin_undo')
    const isOfEveryone = isAdmin && body.assistant !== undefined
    const filter = { ...body, identity: body.identity ?? (isOfEveryone ? undefined : identity) }
    await context.flushClicks()
    return database.write(async (tx) => {
      const rows = await selectChanges(tx, filter)
        .selectAll()
        .limit(MAX_UNDONE_CHANGES + 1)
        .execute()
      if (rows.length > MAX_UNDONE_CHANGES) throw failure('too_many_changes')
      return undoRows(tx, context, { rows, isForAll: isAdmin })
    })
  },
})

export const undoOperations = [undoChanges]
