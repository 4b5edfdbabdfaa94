import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  type TextareaHTMLAttributes,
  useEffect,
  useRef,
} from 'react'
import { applyChange, selectionOf } from './apply-change.ts'
import { codeBlock, linkSelection, toggleLines, toggleMarks } from './format.ts'
import { pastedAddress, pastedCode, pastedFiles } from './paste.ts'

interface Props extends Pick<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'id' | 'placeholder' | 'onBlur' | 'aria-describedby' | 'aria-controls' | 'aria-activedescendant'
> {
  field?: RefObject<HTMLTextAreaElement | null>
  label: string
  value: string
  isInvalid?: boolean
  hasFocusAtStart?: boolean
  onChange: (text: string) => void
  /** Called with the place of the cursor after keys and clicks. */
  onCursor?: (at: number) => void
  onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  /** Returns true if it takes what was pasted. */
  onPasteFiles?: (files: readonly File[]) => boolean
}

/** Formats by their keys, together with Ctrl or Cmd. `^` is Shift. */
const SHORTCUTS: Readonly<
  Record<string, (selected: Parameters<typeof toggleMarks>[0]) => ReturnType<typeof toggleMarks>>
> = {
  b: (selected) => toggleMarks(selected, '**'),
  i: (selected) => toggleMarks(selected, '*'),
  e: (selected) => toggleMarks(selected, '`'),
  '^x': (selected) => toggleMarks(selected, '~~'),
  '^u': (selected) => linkSelection(selected),
  '^9': (selected) => toggleLines(selected, '> '),
  '^8': (selected) => toggleLines(selected, '- '),
}

/** Field for the text of a message. Grows with it, by styles alone: measuring would take time on every key. */
export function MessageField({
  field,
  label,
  value,
  isInvalid,
  hasFocusAtStart,
  onChange,
  onCursor,
  onKeyDown,
  onPasteFiles,
  ...props
}: Props) {
  const own = useRef<HTMLTextAreaElement>(null)
  const ref = field ?? own
  useEffect(() => {
    if (!hasFocusAtStart) return
    ref.current?.focus()
    ref.current?.setSelectionRange(value.length, value.length)
  }, [])
  const reportCursor = ({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) =>
    onCursor?.(currentTarget.selectionEnd)
  const onFormatKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const key = (event.shiftKey ? '^' : '') + event.key.toLowerCase()
    const digit = /^Digit(\d)$/.exec(event.code)?.[1]
    const format = SHORTCUTS[key] ?? SHORTCUTS[`^${digit ?? ''}`]
    if (format && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault()
      return applyChange(event.currentTarget, format(selectionOf(event.currentTarget)))
    }
    onKeyDown?.(event)
  }
  return (
    <div className="message-field" data-text={value}>
      <textarea
        {...props}
        ref={ref}
        rows={1}
        dir="auto"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value)
          reportCursor(event)
        }}
        onKeyUp={reportCursor}
        onClick={reportCursor}
        onKeyDown={onFormatKey}
        onPaste={(event) => pasteInto(event, onPasteFiles)}
      />
    </div>
  )
}

/** Takes code, an address for the selected text, or files. Leaves other text to the browser. */
function pasteInto(event: ClipboardEvent<HTMLTextAreaElement>, onPasteFiles: Props['onPasteFiles']): void {
  const { clipboardData, currentTarget } = event
  const selected = selectionOf(currentTarget)
  const code = pastedCode(clipboardData)
  const address = selected.from < selected.to ? pastedAddress(clipboardData) : undefined
  const files = pastedFiles(clipboardData)
  if (code) applyChange(currentTarget, codeBlock(selected, code.text, code.language))
  else if (address !== undefined) applyChange(currentTarget, linkSelection(selected, address))
  else if (files.length === 0 || !onPasteFiles?.(files)) return
  event.preventDefault()
}
