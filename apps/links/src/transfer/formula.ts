// A spreadsheet runs a cell that begins so as a formula, also where it came from a CSV file. Its own sign for "this is
// text" is an apostrophe before it. Readers that split a line at semicolons or tabs, as spreadsheets do in much of Europe,
// see further cells behind those; quotes within a line do not hold them back. What begins with apostrophes and then so gets
// one more, so that taking one off each always gives back what was exported.
const FORMULA =
  /^(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const ESCAPE =
  /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])'(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** The cell with an apostrophe wherever a spreadsheet might find the beginning of a formula. */
export function escapeFormulas(cell: string): string {
  return cell.replaceAll(FORMULA, `'`)
}

/** What `escapeFormulas` was given. */
export function unescapeFormulas(cell: string): string {
  return cell.replaceAll(ESCAPE, '')
}
