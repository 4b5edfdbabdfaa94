/** Whether a database keeps the text as it is: NUL is refused by some, and lone surrogates all become the same mark. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}
