import { makePrivate } from './private-file.ts'

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Text of others, in one line and without the characters that steer a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Before an export: where stdout is a file, nobody but its owner can read it. */
export function protectStdout(): void {
  if (!makePrivate(process.stdout.fd))
    printError('Other users can read the output file, and its permissions cannot be changed')
}

/** Writes all pieces of an export to stdout at the pace of whoever reads it. */
export async function pipe(pieces: AsyncIterable<string>): Promise<void> {
  protectStdout()
  for await (const piece of pieces) await write(piece)
}

/** Ends when stdout has taken the text: what is written faster than that would wait in memory. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Rows in aligned columns, the first row being the header. */
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
