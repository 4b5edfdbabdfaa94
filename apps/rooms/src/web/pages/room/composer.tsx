import { Button, Group, Textarea } from '@mantine/core'
import { isComposing } from '@latchkey/web/composing'
import { IconSend2 } from '@latchkey/web/icons'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react'
import { isVisible } from '../../../visible.ts'
import { useUserDraft } from '../../user-draft.ts'
import { live } from '../../live/live.ts'
import type { RoomStore } from '../../live/room-store.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'
import { UnsentMessages } from './unsent-messages.tsx'

/** How near the limit it is shown how much is left. */
const SHOW_LEFT_FROM = 100

/** Where messages are written. What stands here is kept until it is sent (R23.3). */
export function Composer({ room, store }: { room: Room; store: RoomStore }) {
  const { t } = useText()
  const [text, setText] = useUserDraft(`draft:${room.id}`)
  // Not drawn anew with each message: measuring what is typed takes long.
  const isIn = useSyncExternalStore(store.watch, () => store.state().phase === 'in')
  const field = useRef<HTMLTextAreaElement>(null)
  useReadyToWrite(field)
  // As the server counts: characters, not the units that they are stored in.
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

/** Whoever enters can write at once; but where a keyboard would come up, and cover what was said, only when they want to. */
function useReadyToWrite(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const { current } = field
    if (!current || !matchMedia('(hover: hover)').matches) return
    current.focus({ preventScroll: true })
    // Behind the draft that was kept.
    current.setSelectionRange(current.value.length, current.value.length)
  }, [field])
}
