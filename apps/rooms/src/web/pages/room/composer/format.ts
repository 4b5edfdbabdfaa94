/** A change of the text of a field, and what is selected afterwards. */
export interface Change {
  from: number
  to: number
  text: string
  selection: readonly [from: number, to: number]
}

interface Selected {
  text: string
  from: number
  to: number
}

/** Puts marks around the selected text, or takes them away. Without a selection, the cursor goes between them. */
export function toggleMarks({ text, from, to }: Selected, mark: string): Change {
  const { length } = mark
  const selected = text.slice(from, to)
  const isAround = text.slice(from - length, from) === mark && text.slice(to, to + length) === mark
  if (isAround && !isLonger({ text, from, to }, mark))
    return {
      from: from - length,
      to: to + length,
      text: selected,
      selection: [from - length, to - length],
    }
  return { from, to, text: `${mark}${selected}${mark}`, selection: [from + length, to + length] }
}

/** True if the marks are those of another format, such as `**` around what is to be `*`. */
function isLonger({ text, from, to }: Selected, mark: string): boolean {
  const [before, after] = [
    /(.)\1*$/.exec(text.slice(0, from))?.[0] ?? '',
    /^(.)\1*/.exec(text.slice(to))?.[0] ?? '',
  ]
  return mark === '*' && before === '**' && after === '**'
}

/** Puts a mark before each selected line, or takes it away. */
export function toggleLines({ text, from, to }: Selected, mark: string): Change {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const lineEnd = text.indexOf('\n', to)
  const end = lineEnd === -1 ? text.length : lineEnd
  const lines = text.slice(start, end).split('\n')
  const areMarked = lines.every((line) => line.startsWith(mark))
  const changed = lines.map((line) => (areMarked ? line.slice(mark.length) : mark + line)).join('\n')
  return { from: start, to: end, text: changed, selection: [start, start + changed.length] }
}

/** Makes the selected text a link, with the cursor where the address belongs. */
export function linkSelection({ text, from, to }: Selected, address = ''): Change {
  const label = text.slice(from, to)
  const at = from + label.length + 3
  const selection =
    address === '' ? ([at, at] as const) : ([at + address.length + 1, at + address.length + 1] as const)
  return { from, to, text: `[${label}](${address})`, selection }
}

/** Code as a block of its own, from the beginning of a line. */
export function codeBlock({ text, from, to }: Selected, code: string, language: string): Change {
  const isAtLine = from === 0 || text[from - 1] === '\n'
  const block = `${isAtLine ? '' : '\n'}\`\`\`${language}\n${code.replace(/\n$/, '')}\n\`\`\`\n`
  return { from, to, text: block, selection: [from + block.length, from + block.length] }
}
