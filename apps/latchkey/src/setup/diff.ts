const CONTEXT_LINES = 3

interface Edit {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
  /** Index of the line in the old and the new text, or where it would be. */
  readonly oldIndex: number
  readonly newIndex: number
}

/**
 * Returns a unified diff, as `diff -u` prints it, without its two lines of names. Empty for equal
 * texts.
 */
export function unifiedDiff(before: string, after: string): string[] {
  const edits = findEdits(linesOf(before), linesOf(after))
  return hunksOf(edits).flatMap((hunk) => [headerOf(hunk), ...hunk.map(({ sign, line }) => sign + line)])
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  if (!text.endsWith('\n')) lines.push(String.raw`\ No newline at end of file`)
  return lines
}

/** The longest common subsequence of lines. Files of settings have a few hundred at most. */
function findEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const lengthAt = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] =
        before[i] === after[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [oldLine, newLine] = [before[i], after[j]]
    const position = { oldIndex: i, newIndex: j }
    if (oldLine !== undefined && oldLine === newLine) {
      edits.push({ sign: ' ', line: oldLine, ...position })
      i++
      j++
    } else if (oldLine !== undefined && (newLine === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      edits.push({ sign: '-', line: oldLine, ...position })
      i++
    } else {
      edits.push({ sign: '+', line: newLine ?? '', ...position })
      j++
    }
  }
  return edits
}

/** Groups changed lines with the lines around them. */
function hunksOf(edits: readonly Edit[]): Edit[][] {
  const isNear = edits.map((_, at) =>
    edits.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' '),
  )
  const hunks: Edit[][] = []
  for (const [at, edit] of edits.entries()) {
    if (!isNear[at]) continue
    if (at === 0 || !isNear[at - 1]) hunks.push([])
    hunks.at(-1)?.push(edit)
  }
  return hunks
}

function headerOf(hunk: readonly Edit[]): string {
  const oldLines = hunk.filter(({ sign }) => sign !== '+').length
  const newLines = hunk.filter(({ sign }) => sign !== '-').length
  const [first] = hunk
  return `@@ -${formatRange(first?.oldIndex ?? 0, oldLines)} +${formatRange(first?.newIndex ?? 0, newLines)} @@`
}

/** Lines count from 1; without any, it is the line before. */
function formatRange(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`
}
