import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CallError } from '@latchkey/web/call'
import { isComposing } from '@latchkey/web/composing'
import { isVisible } from '@latchkey/http/visible'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../live/frames.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import { MessageField } from '../composer/message-field.tsx'
import { toStored, toWritten } from '../composer/references.ts'
import { isTouchScreen } from '../composer/touch-screen.ts'
import type { MessageActions } from './use-message-actions.ts'

/** The version that another tab has saved meanwhile. */
function newerVersionOf(error: Error): Message | undefined {
  const isChanged = error instanceof CallError && error.code === 'message_changed'
  return isChanged ? (error.answer['message'] as Message) : undefined
}

function NewerVersion({ message }: { message: Message | null }) {
  const { t } = useText()
  return (
    <div role="alert">
      {message && (
        <div className="message-editor-newer">
          <span className="field-error">{t('room.editChanged')}</span>
          <div className="message-text message-source" dir="auto">
            {toWritten(message).text}
          </div>
        </div>
      )}
    </div>
  )
}

/** Keeps the buttons in view: at first, when the texts grow, and when the window becomes lower. */
function useInView(text: string, newer: Message | null) {
  const buttons = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const show = () => buttons.current?.scrollIntoView({ block: 'nearest' })
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [text, newer])
  return buttons
}

/** Field in the place of the text of a message that is being edited. */
export function MessageEditor({ message, actions }: { message: Message; actions: MessageActions }) {
  const { t } = useText()
  const [{ text: before, references }] = useState(() => toWritten(message))
  const [text, setText] = useState(before)
  const [base, setBase] = useState(message)
  const [newer, setNewer] = useState<Message | null>(null)
  const saving = useMutation({
    mutationFn: () => actions.save(base, toStored(text.trim(), references)),
    onSuccess: () => actions.edit(null),
    onError(error) {
      const saved = newerVersionOf(error)
      if (!saved) return
      setNewer(saved)
      setBase(saved)
    },
  })
  const buttons = useInView(text, newer)
  const save = () => {
    if (!isVisible(text) && message.files.length === 0) return actions.open({ kind: 'delete', message })
    if (text.trim() === before.trim() && !newer) actions.edit(null)
    else saving.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the list of messages have no meaning here.
    event.stopPropagation()
    if (isComposing(event)) return
    if (event.key === 'Escape') actions.edit(null)
    if (event.key !== 'Enter' || event.shiftKey || isTouchScreen()) return
    event.preventDefault()
    save()
  }
  return (
    <div className="message-editor">
      <MessageField
        label={t('room.editLabel')}
        value={text}
        onChange={setText}
        onKeyDown={onKeyDown}
        hasFocusAtStart
      />
      <NewerVersion message={newer} />
      <div className="message-editor-buttons" ref={buttons}>
        <Button size="compact-sm" variant="default" onClick={() => actions.edit(null)}>
          {t(newer ? 'room.editKeepNewer' : 'confirm.cancel')}
        </Button>
        <Button size="compact-sm" loading={saving.isPending} onClick={save}>
          {t(newer ? 'room.editSaveMine' : 'room.save')}
        </Button>
        {saving.error && !newerVersionOf(saving.error) ? (
          <span role="alert" className="field-error">
            <Refusal error={saving.error} />
          </span>
        ) : (
          <span className="field-help">{!isTouchScreen() && t('room.editHelp')}</span>
        )}
      </div>
    </div>
  )
}
