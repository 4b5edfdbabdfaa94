// A spreadsheet runs a cell that begins so as a formula, also where it came from a CSV file. Its own sign for "this is
// text" is an apostrophe before it. Cells that begin with apostrophes and then so get one more, so that taking one off
// always gives back what was exported.
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const DEFUSED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

export function defuse(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

export function undefuse(cell: string): string {
  return DEFUSED.test(cell) ? cell.slice(1) : cell
}
