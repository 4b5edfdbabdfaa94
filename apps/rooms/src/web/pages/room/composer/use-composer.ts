import { isComposing } from '@latchkey/web/composing'
import { isVisible } from '@latchkey/http/visible'
import { type KeyboardEvent, type RefObject, useImperativeHandle, useRef, useSyncExternalStore } from 'react'
import type { Message } from '../../../live/frames.ts'
import type { Draft } from '../../../live/outbox.ts'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import type { Room } from '../room.ts'
import { isInCodeBlock } from './completion.ts'
import { referencesIn, toStored, toWritten } from './references.ts'
import { isTouchScreen } from './touch-screen.ts'
import { useCandidates } from './use-candidates.ts'
import { useCompletion } from './use-completion.ts'
import type { ComposerFiles } from './use-files.ts'
import { useDraftSync } from './use-draft-sync.ts'
import { useReadyToWrite } from './use-ready-to-write.ts'
import { useRoomDraft } from './use-room-draft.ts'
import { useSending } from './use-sending.ts'

/** What others do with the field. */
export interface ComposerHandle {
  /** Adds the text and the files of a message that was not sent. */
  editUnsent: (draft: Draft) => void
}

export interface ComposerProps {
  room: Room
  user: User
  store: RoomStore
  files: ComposerFiles
  replyTo: Message | null
  onReply: (message: Message | null) => void
  /** Edits the user's last message, if they may. */
  onEditLast: () => void
  handle: RefObject<ComposerHandle | null>
}

/** The draft of the room, and its content as a message would have it. */
function useSyncedDraft({ room, user, store }: Pick<ComposerProps, 'room' | 'user' | 'store'>) {
  const { write, ...draft } = useRoomDraft(room.id)
  const content = toStored(draft.text.trim(), draft.references)
  useDraftSync(room.id, {
    userId: user.id,
    content: isVisible(draft.text) ? content : '',
    receive: (stored) => write(toWritten({ content: stored, mentions: [...store.state().present.values()] })),
  })
  return { ...draft, content }
}

/** Subscribes to this value only: typing must not depend on the number of messages. */
const useIsIn = (store: RoomStore) => useSyncExternalStore(store.watch, () => store.state().phase === 'in')

/** The text of a new message, and what the keys do with it. */
export function useComposer(props: ComposerProps) {
  const { room, user, store, files, replyTo, onReply, onEditLast, handle } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, setText, addReferences, clear, content } = useSyncedDraft(props)
  useReadyToWrite(field, replyTo)
  useImperativeHandle(handle, () => ({
    editUnsent({ content: unsent, files: stored = [] }) {
      store.uploads.restore(stored)
      const more = toWritten({ content: unsent, mentions: [...store.state().present.values()] })
      addReferences(more.references)
      setText((now) => [now, more.text].filter(Boolean).join('\n'))
      field.current?.focus()
    },
  }))
  const completion = useCompletion({
    field,
    text,
    useCandidates: (token) => useCandidates(token, { room, user, store }),
    onChoose: (candidate) => addReferences(candidate.references),
  })
  const left = charactersLeft(content)
  const { problem, send } = useSending({
    field,
    files,
    isReady: (isVisible(text) || files.uploads.length > 0) && left >= 0,
    isIn: useIsIn(store),
    post() {
      store.send({
        content: withMentions(content, store),
        ...(replyTo && { replyTo: replyTo.id }),
        ...takeFiles(store),
      })
      clear()
      onReply(null)
    },
  })
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (completion.onKeyDown(event) || isComposing(event)) return
    if (event.key === 'Escape' && replyTo) return onReply(null)
    const isEditing = event.key === 'ArrowUp' && text === ''
    if (!isEditing && !isSending(event)) return
    event.preventDefault()
    if (isEditing) onEditLast()
    else send()
  }
  return {
    field,
    text,
    left,
    completion,
    problem,
    send,
    onKeyDown,
    onChange: (next: string) => {
      setText(next)
      if (isVisible(next)) store.startTyping()
      else store.stopTyping()
    },
  }
}

/**
 * The content with mentions of people whose names were typed in full, if there is space for them:
 * of those who are in the room or have written.
 */
function withMentions(content: string, store: RoomStore): string {
  const { present, messages } = store.state()
  const authors = messages.flatMap(({ userId, nickname }) => (userId === null ? [] : { userId, nickname }))
  const mentioning = toStored(content, referencesIn(content, [...authors, ...present.values()]))
  return charactersLeft(mentioning) < 0 ? content : mentioning
}

/** Without files, a draft does not mention them. */
function takeFiles(store: RoomStore): Pick<Draft, 'files'> {
  const files = store.uploads.take()
  return files.length > 0 ? { files } : {}
}

/** Counts characters like the server, not UTF-16 units. */
const charactersLeft = (content: string) => live.messageLength - Array.from(content).length

/** True if this key sends: Enter, but not on a touch screen, which has a button, nor in a block of code. */
function isSending({ key, shiftKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): boolean {
  if (key !== 'Enter' || shiftKey || isTouchScreen()) return false
  return !isInCodeBlock(currentTarget.value.slice(0, currentTarget.selectionEnd))
}
