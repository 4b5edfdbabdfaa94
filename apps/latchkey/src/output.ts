import { makePrivate } from './private-file.ts'

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** User-supplied text on one line, without control characters of terminals. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Called before an export. If stdout is a file, only its owner can read it from then on. */
export function protectStdout(): void {
  if (!makePrivate(process.stdout.fd))
    printError('Other users can read the output file, and its permissions cannot be changed')
}

/** Writes all pieces of an export to stdout, at the pace of the reader. */
export async function pipe(pieces: AsyncIterable<string>): Promise<void> {
  protectStdout()
  for await (const piece of pieces) await write(piece)
}

/** Resolves when stdout has accepted the text. Faster writes would accumulate in memory. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Formats rows in aligned columns. The first row is the header. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Numbers and what they count, such as "1 link, 2 slugs". */
export function formatAmounts(amounts: readonly (readonly [count: number, noun: string])[]): string {
  return amounts.map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(', ')
}
