// A spreadsheet executes a cell that begins like this as a formula, even if it comes from a CSV
// file. Its own mark for text is a leading apostrophe. Readers that split a line at semicolons or
// tabs, as spreadsheets do in much of Europe, find further cells after those; quotes within a line
// do not prevent it. Text that already has apostrophes before such a beginning gets one more.
// Removing one from each therefore restores the exported text.
const FORMULA =
  /^(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const ESCAPE =
  /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])'(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** Adds an apostrophe wherever a spreadsheet might find the beginning of a formula. */
export function escapeFormulas(cell: string): string {
  return cell.replaceAll(FORMULA, `'`)
}

/** Restores the input of `escapeFormulas`. */
export function unescapeFormulas(cell: string): string {
  return cell.replaceAll(ESCAPE, '')
}

/** Returns the first record of CSV, with plain names of columns, and its line end. */
export function csvHeader(columns: readonly string[]): string {
  return `${columns.join(',')}\r\n`
}

/** Returns a record of CSV (RFC 4180) with its line end, without formulas. Null is an empty cell. */
export function csvRecord(cells: readonly (string | number | null | undefined)[]): string {
  const quoted = cells.map((cell) => `"${escapeFormulas(String(cell ?? '')).replaceAll('"', '""')}"`)
  return `${quoted.join(',')}\r\n`
}
