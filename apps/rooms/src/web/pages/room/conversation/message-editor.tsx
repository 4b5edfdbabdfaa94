import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
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

/** Field in the place of the text of a message that is being edited. */
export function MessageEditor({ message, actions }: { message: Message; actions: MessageActions }) {
  const { t } = useText()
  const [{ text: before, references }] = useState(() => toWritten(message))
  const [text, setText] = useState(before)
  const saving = useMutation({
    mutationFn: () => actions.save(message, toStored(text.trim(), references)),
    onSuccess: () => actions.edit(null),
  })
  const buttons = useRef<HTMLDivElement>(null)
  // At first, when the text grows, and when the window becomes lower.
  useEffect(() => {
    const show = () => buttons.current?.scrollIntoView({ block: 'nearest' })
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [text])
  const save = () => {
    if (!isVisible(text) && message.files.length === 0) return actions.open({ kind: 'delete', message })
    if (text.trim() === before.trim()) actions.edit(null)
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
      <div className="message-editor-buttons" ref={buttons}>
        <Button size="compact-sm" variant="default" onClick={() => actions.edit(null)}>
          {t('confirm.cancel')}
        </Button>
        <Button size="compact-sm" loading={saving.isPending} onClick={save}>
          {t('room.save')}
        </Button>
        {saving.error ? (
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
