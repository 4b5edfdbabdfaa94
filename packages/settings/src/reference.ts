import type { Declaration, Declarations } from './settings.ts'

/**
 * The settings as an aligned table for `--help`: name, default, sentence.
 *
 * @example renderHelp(declarations) // 'APP_PORT  80  Port to listen on'
 */
export function renderHelp(declarations: Declarations): string {
  const rows = Object.values(declarations).map((setting) => [
    setting.name,
    setting.default ?? (setting.whenUnset ? `(${setting.whenUnset})` : '(unset)'),
    setting.sentence,
  ])
  return columns(rows)
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n')
}

/**
 * The settings as a Markdown table. It is padded as oxfmt pads tables, so that formatting the page leaves it as it is.
 *
 * @example renderMarkdown(declarations) // '| Name | Default | …'
 */
export function renderMarkdown(declarations: Declarations): string {
  const head = ['Name', 'Default', 'Meaning', 'Accepts', 'Example']
  const [first = [], ...rest] = columns([head, ...Object.values(declarations).map(markdownRow)])
  const rule = first.map((cell) => '-'.repeat(cell.length))
  return [first, rule, ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function markdownRow(setting: Declaration<unknown>): string[] {
  const secret = setting.secret ? `. Secret: may be given as ${setting.name}_FILE` : ''
  return [
    `\`${setting.name}\``,
    setting.default === undefined ? code(setting.whenUnset ?? 'unset') : `\`${setting.default}\``,
    code(`${setting.sentence}${secret}`),
    code(setting.kind.accepts),
    `\`${setting.example}\``,
  ].map((cell) => cell.replaceAll('|', '\\|'))
}

// Setting names, with or without a value, in running text; and what Markdown would make bold.
function code(sentence: string): string {
  return sentence.replaceAll(/\b[A-Z]+(?:_[A-Z]+)+(?:=\w+)?|__\w+__/g, '`$&`')
}

function columns(rows: readonly string[][]): string[][] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
}
