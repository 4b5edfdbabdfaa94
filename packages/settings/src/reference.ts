import type { Declaration, Declarations } from './settings.ts'

/**
 * Formats the settings as a Markdown table.
 *
 * @example settingsTable(declarations) // '| Name | Default | …'
 */
export function settingsTable(declarations: Declarations): string {
  const head = ['Name', 'Default', 'Meaning', 'Accepts', 'Example']
  return markdownTable([head, ...Object.values(declarations).map(settingRow)])
}

/**
 * Formats rows of cells, the first being the header, as a Markdown table. It is padded as oxfmt
 * pads tables, so formatting the page does not change it.
 *
 * @example markdownTable([['Key'], ['`a`']]) // '| Key |\n| --- |\n| `a` |'
 */
export function markdownTable(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const [head = [], ...rest] = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function settingRow(setting: Declaration<unknown>): string[] {
  const secret = setting.secret ? `. Secret: may be given as ${setting.name}_FILE` : ''
  return [
    `\`${setting.name}\``,
    setting.default === undefined ? code(setting.whenUnset ?? 'unset') : `\`${setting.default}\``,
    code(`${setting.sentence}${secret}`),
    code(setting.kind.accepts),
    `\`${setting.example}\``,
  ].map((cell) => cell.replaceAll('|', '\\|'))
}

// Marks setting names, with or without a value, and text that Markdown would make bold, as code.
function code(sentence: string): string {
  return sentence.replaceAll(/\b[A-Z]+(?:_[A-Z0-9]+)+(?:=\w+)?|__\w+__/g, '`$&`')
}
