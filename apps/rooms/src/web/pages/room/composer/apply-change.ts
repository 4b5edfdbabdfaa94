import type { Change } from './format.ts'

export const selectionOf = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) => ({
  text: value,
  from: selectionStart,
  to: selectionEnd,
})

/** Changes the text of a field as if it had been typed: Undo takes it back. */
export function applyChange(field: HTMLTextAreaElement, { from, to, text, selection }: Change): void {
  field.focus()
  field.setSelectionRange(from, to)
  // The only way to keep the history of the field. Every browser has it.
  const isDone = document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
  if (!isDone) {
    field.setRangeText(text)
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  field.setSelectionRange(...selection)
}

/** Replaces the selected text. */
export function insertText(field: HTMLTextAreaElement, text: string): void {
  const { from, to } = selectionOf(field)
  const end = from + text.length
  applyChange(field, { from, to, text, selection: [end, end] })
}
