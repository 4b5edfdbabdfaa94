import { ActionIcon } from '@mantine/core'
import { IconSend2 } from '@latchkey/web/icons'
import { type RefObject, memo } from 'react'
import { useText } from '../../../texts/text.ts'
import { EmojiButton } from '../emoji/emoji-button.tsx'
import { COMPLETION_ID, CompletionList, optionId } from './completion-list.tsx'
import { insertText } from './apply-change.ts'
import { AttachButton } from './attach-button.tsx'
import { Attachments } from './attachments.tsx'
import { FormatBar } from './format-bar.tsx'
import { ComposerHelp } from './composer-help.tsx'
import { MessageField } from './message-field.tsx'
import { Replying } from './replying.tsx'
import { type ComposerProps, useComposer } from './use-composer.ts'

/** Field and buttons for a new message. Its text is kept until it is sent (R23.3). */
export function Composer(props: ComposerProps) {
  const { t } = useText()
  const { field, text, left, completion, problem, send, onKeyDown, onChange } = useComposer(props)
  const { room, store, files, replyTo, onReply } = props
  const label = t('room.messageTo', { room: room.name })
  const { chosen } = completion
  return (
    <div className="composer">
      <CompletionList candidates={completion.candidates} chosen={chosen} onChoose={completion.choose} />
      {replyTo && <Replying message={replyTo} onCancel={() => onReply(null)} />}
      <Attachments uploads={files.uploads} store={store} onRemoved={() => field.current?.focus()} />
      <MessageField
        id="write"
        field={field}
        label={label}
        placeholder={label}
        value={text}
        isInvalid={left < 0}
        aria-describedby="write-help"
        {...(chosen && { 'aria-controls': COMPLETION_ID, 'aria-activedescendant': optionId(chosen) })}
        onChange={onChange}
        onCursor={completion.onCursor}
        onBlur={() => store.stopTyping()}
        onKeyDown={onKeyDown}
        onPasteFiles={(pasted) => {
          if (files.mayAdd) files.add(pasted)
          return files.mayAdd
        }}
      />
      <div className="composer-bar">
        <Tools field={field} addFiles={files.mayAdd ? files.add : undefined} />
        <ComposerHelp left={left} problem={problem} />
        <ActionIcon className="composer-send" size={34} onClick={send} aria-label={t('room.send')}>
          <IconSend2 size={18} aria-hidden />
        </ActionIcon>
      </div>
    </div>
  )
}

interface ToolsProps {
  field: RefObject<HTMLTextAreaElement | null>
  /** Undefined if the user may not add files. */
  addFiles: ((files: readonly File[]) => void) | undefined
}

/** The buttons beside the field. Not rendered while the user types. */
const Tools = memo(function Tools({ field, addFiles }: ToolsProps) {
  const { t } = useText()
  return (
    <>
      {addFiles && <AttachButton onChoose={addFiles} />}
      <EmojiButton
        label={t('room.emoji')}
        size={30}
        onChoose={(emoji) => field.current && insertText(field.current, emoji)}
      />
      <FormatBar field={field} />
    </>
  )
})
