import { readDraft, saveDraft } from '@latchkey/web/draft-storage'
import { call } from '../../../call.ts'
import { draftAtServer } from '../../../drafts.ts'
import { live } from '../../../live/live.ts'

/** The field in which a message is written. */
export interface DraftField {
  userId: string
  /** As a message would have it. */
  content: string
  /** Replaces what is written. */
  receive: (content: string) => void
}

export interface DraftSync {
  /** Call it after a change of the content. */
  change: () => void
  stop: () => void
}

/** Time without a change after which the draft is saved. */
const SAVE_AFTER_MS = 1_000

/**
 * Saves the draft of a room at the server, a second after the last change and at once when the page
 * is hidden, and receives what other tabs write while nothing is unsaved here. The browser keeps its
 * own copy, and without a connection the draft is saved later.
 */
export function startDraftSync(roomId: string, field: () => DraftField): DraftSync {
  const { userId } = field()
  const name = `saved:${roomId}`
  // The content that server and field had in common last.
  let common = readDraft(userId, name)
  let isSaving = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const keep = (content: string) => {
    common = content
    saveDraft(userId, name, content)
  }
  const receive = (content: string) => {
    const isUnsaved = field().content !== common
    if (isSaving || content === common) return
    keep(content)
    if (!isUnsaved && field().content !== content) field().receive(content)
  }
  const save = async () => {
    clearTimeout(timer)
    const { content } = field()
    if (isSaving || content === common) return
    isSaving = true
    const params = { id: roomId }
    try {
      await (content === ''
        ? call('deleteDraft', { params })
        : call('saveDraft', { params, body: { content } }))
      keep(content)
    } catch {
      // It stays in the browser, and the next change or connection saves it.
      isSaving = false
      return
    }
    isSaving = false
    change()
  }
  const change = () => {
    clearTimeout(timer)
    const { content } = field()
    // A message that was sent disappears from the other tabs at once.
    if (content !== common) timer = setTimeout(() => void save(), content === '' ? 0 : SAVE_AFTER_MS)
  }
  const saveIfHidden = () => void (document.visibilityState === 'hidden' && save())

  receive(draftAtServer(roomId))
  change()
  const stopNotices = live.onNotice(({ notice, data }) => {
    if (notice === 'draft' && data['roomId'] === roomId)
      receive(typeof data['content'] === 'string' ? data['content'] : '')
  })
  document.addEventListener('visibilitychange', saveIfHidden)
  addEventListener('online', change)
  return {
    change,
    stop() {
      void save()
      stopNotices()
      document.removeEventListener('visibilitychange', saveIfHidden)
      removeEventListener('online', change)
    },
  }
}
