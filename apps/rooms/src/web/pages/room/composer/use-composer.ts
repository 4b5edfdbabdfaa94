import { isComposing } from '@latchkey/web/composing'
import { isVisible } from '@latchkey/http/visible'
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useSyncExternalStore,
} from 'react'
import type { Message } from '../../../live/frames.ts'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import type { User } from '../../../session.ts'
import type { Room } from '../room.ts'
import { applyChange, selectionOf } from './apply-change.ts'
import { isInCodeBlock } from './completion.ts'
import { toStored, toWritten } from './references.ts'
import { isTouchScreen } from './touch-screen.ts'
import { useCandidates } from './use-candidates.ts'
import { useCompletion } from './use-completion.ts'
import { useReadyToWrite } from './use-ready-to-write.ts'
import { useRoomDraft } from './use-room-draft.ts'

/** What others do with the field. */
export interface ComposerHandle {
  /** Adds the content of a message that was not sent. */
  takeBack: (content: string) => void
}

export interface ComposerProps {
  room: Room
  user: User
  store: RoomStore
  replyTo: Message | null
  onReply: (message: Message | null) => void
  /** Edits the user's last message, if they may. */
  onEditLast: () => void
  handle: RefObject<ComposerHandle | null>
}

/** The text of a new message, and what the keys do with it. */
export function useComposer({ room, user, store, replyTo, onReply, onEditLast, handle }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, setText, references, addReferences, clear } = useRoomDraft(room.id)
  // Subscribes to this value only: typing must not depend on the number of messages.
  const isIn = useSyncExternalStore(store.watch, () => store.state().phase === 'in')
  useReadyToWrite(field)
  useEffect(() => {
    if (replyTo) field.current?.focus()
  }, [replyTo])
  useImperativeHandle(handle, () => ({
    takeBack(content) {
      const more = toWritten({ content, mentions: [...store.state().present.values()] })
      addReferences(more.references)
      setText((now) => (now === '' ? more.text : `${now}\n${more.text}`))
      field.current?.focus()
    },
  }))
  const completion = useCompletion({
    field,
    text,
    useCandidates: (token) => useCandidates(token, { room, user, store }),
    onChoose: (candidate) => addReferences(candidate.references),
  })
  const content = toStored(text.trim(), references)
  const left = charactersLeft(content)
  const send = () => {
    field.current?.focus()
    if (!isVisible(text) || left < 0 || !isIn) return
    store.send(content, replyTo?.id)
    clear()
    onReply(null)
  }
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
    send,
    onKeyDown,
    onChange: (next: string) => {
      setText(next)
      if (isVisible(next)) store.startTyping()
      else store.stopTyping()
    },
    insert: (more: string) => {
      if (!field.current) return
      const { from, to } = selectionOf(field.current)
      const end = from + more.length
      applyChange(field.current, { from, to, text: more, selection: [end, end] })
    },
  }
}

/** Counts characters like the server, not UTF-16 units. */
const charactersLeft = (content: string) => live.messageLength - Array.from(content).length

/** True if this key sends: Enter, but not on a touch screen, which has a button, nor in a block of code. */
function isSending({ key, shiftKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): boolean {
  if (key !== 'Enter' || shiftKey || isTouchScreen()) return false
  return !isInCodeBlock(currentTarget.value.slice(0, currentTarget.selectionEnd))
}
