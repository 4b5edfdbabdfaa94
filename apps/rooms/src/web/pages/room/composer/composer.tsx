import { Button, Group, Textarea } from '@mantine/core'
import { isComposing } from '@latchkey/web/composing'
import { IconSend2 } from '@latchkey/web/icons'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react'
import { isVisible } from '@latchkey/http/visible'
import { useUserDraft } from '../../../user-draft.ts'
import { live } from '../../../live/live.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { UnsentMessages } from './unsent-messages.tsx'

/** Number of remaining characters from which it is displayed. */
const SHOW_LEFT_FROM = 100

/** Field and button for a new message. Its text is kept until it is sent (R23.3). */
export function Composer({ room, store }: { room: Room; store: RoomStore }) {
  const { t } = useText()
  const [text, setText] = useUserDraft(`draft:${room.id}`)
  // Subscribes to this value only: rendering on every new message would measure the text each time,
  // which is slow.
  const isIn = useSyncExternalStore(store.watch, () => store.state().phase === 'in')
  const field = useRef<HTMLTextAreaElement>(null)
  useReadyToWrite(field)
  // Counts characters like the server, not UTF-16 units.
  const left = live.messageLength - Array.from(text.trim()).length
  const send = () => {
    if (!isVisible(text) || left < 0 || !isIn) return field.current?.focus()
    store.send(text.trim())
    setText('')
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
    event.preventDefault()
    send()
  }
  return (
    <div>
      <UnsentMessages
        store={store}
        onTakeBack={(content) => {
          setText(text === '' ? content : `${text}\n${content}`)
          field.current?.focus()
        }}
      />
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Textarea
          ref={field}
          id="write"
          style={{ flex: 1, minWidth: 0 }}
          aria-label={t('room.messageTo', { room: room.name })}
          placeholder={t('room.message')}
          dir="auto"
          autosize
          minRows={1}
          maxRows={6}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value)
            if (isVisible(value)) store.startTyping()
            else store.stopTyping()
          }}
          onBlur={() => store.stopTyping()}
          onKeyDown={onKeyDown}
          inputWrapperOrder={['input', 'description', 'error']}
          description={
            left >= 0 && left <= SHOW_LEFT_FROM ? t('room.left', { count: left }) : t('room.sendHelp')
          }
          error={left < 0 && t('room.tooLong', { count: -left })}
        />
        <Button onClick={send} aria-label={t('room.send')} px="sm" h={36} flex="none">
          <IconSend2 size={18} aria-hidden />
        </Button>
      </Group>
    </div>
  )
}

/**
 * Focuses the field on entering, except where that opens a keyboard on the screen, which would
 * cover the messages.
 */
function useReadyToWrite(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const { current } = field
    if (!current || !matchMedia('(hover: hover)').matches) return
    current.focus({ preventScroll: true })
    // Cursor after the stored draft.
    current.setSelectionRange(current.value.length, current.value.length)
  }, [field])
}
