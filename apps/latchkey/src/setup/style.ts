type Paint = (text: string) => string

export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
}

/** Colours for a terminal that shows them, as https://no-color.org asks; plain text for all others. */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const isPlain = !stream.isTTY || Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb'
  const paint =
    (code: number): Paint =>
    (text) =>
      isPlain ? text : `\u001b[${code}m${text}\u001b[0m`
  return { bold: paint(1), dim: paint(2), red: paint(31), green: paint(32), yellow: paint(33) }
}

/** Colours the lines of a unified diff. */
export function paintDiff(lines: readonly string[], style: Style): string[] {
  return lines.map((line) => {
    if (line.startsWith('--- ') || line.startsWith('+++ ')) return style.bold(line)
    if (line.startsWith('@@')) return style.dim(line)
    if (line.startsWith('+')) return style.green(line)
    return line.startsWith('-') ? style.red(line) : line
  })
}
