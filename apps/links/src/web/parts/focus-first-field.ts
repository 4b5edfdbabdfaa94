/**
 * A ref for the content of a dialog: focuses its first field, of radio buttons the chosen one. Also
 * for content that is loaded after the dialog has opened and has focused its close button.
 */
export function focusFirstField(content: HTMLElement | null): void {
  const field = content?.querySelector<HTMLElement>(
    'input:checked, input:not([type=radio]), select, textarea',
  )
  // The dialog focuses the element with this attribute, if it opens later.
  field?.setAttribute('data-autofocus', '')
  field?.focus({ preventScroll: true })
}
