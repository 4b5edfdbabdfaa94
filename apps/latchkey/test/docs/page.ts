import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '../../../..')

/** One command of a `console` block, with its output on the page. */
export interface Command {
  line: number
  text: string
  prints: string
}

export type Step =
  | { kind: 'command'; command: Command }
  | { kind: 'background'; command: Command }
  | { kind: 'end'; signal: 'SIGINT' | 'SIGKILL' }
  | { kind: 'file'; name: string; text: string }
  | { kind: 'browser'; line: number; text: string }
  | { kind: 'page'; path: string }

export interface Left {
  line: number
  reason: string
}

export interface Page {
  /** From the root of the repository. */
  path: string
  text: string
  steps: Step[]
  /** Blocks that are not run, each with its reason. */
  left: Left[]
  /** The programs and services that the page requires. */
  needs: string[]
  /** Violations of the convention, each with its line. */
  problems: string[]
}

export interface Block {
  language: string
  body: string
  /** The line of the opening fence. */
  line: number
  /** The directive `<!-- run: … -->` on the line before. */
  directive: string | undefined
}

const DIRECTIVE = /^<!-- run: (.+?) -->$/
/** Directives that concern the page, not the next block. */
const ALONE = /^(\S+\.md first|Ctrl\+C|kill -9|needs \S+)$/
const PROGRAMS = new Set(['ts', 'js', 'python', 'bash'])

/** All documents except the READMEs of the clients, which their own tests run. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...new Bun.Glob('docs/**/*.md').scanSync({ cwd: ROOT }),
].toSorted()

export function readPage(path: string): Page {
  return parsePage(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** Parses a page by the convention of CONTRIBUTING.md. */
export function parsePage(path: string, text: string): Page {
  const page: Page = { path, text, steps: [], left: [], needs: [], problems: [] }
  for (const part of partsOf(text)) {
    try {
      if ('body' in part) addBlock(page, part)
      else if (part.directive === 'in a browser')
        page.steps.push({ kind: 'browser', line: part.line, text: listAfter(text, part.line) })
      else addDirective(page, part)
    } catch (error) {
      page.problems.push(`${path}:${part.line}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return page
}

interface Directive {
  directive: string
  line: number
}

/** The blocks of a page, and the directives that belong to no block. */
export function partsOf(text: string): (Block | Directive)[] {
  const parts: (Block | Directive)[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const directive = DIRECTIVE.exec(lines[at]?.trim() ?? '')?.[1]
    if (directive !== undefined) parts.push({ directive, line: at + 1 })
    const [, indent, language] = /^( *)```(\w*)$/.exec(lines[at] ?? '') ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line === `${indent}\`\`\``)
    if (end < 0) throw new Error(`line ${at + 1}: a block is not closed`)
    const before = lines.slice(0, at).findLastIndex((line) => line.trim() !== '')
    const last = parts.at(-1)
    const own =
      last && !('body' in last) && last.line === before + 1 && !ALONE.test(last.directive)
        ? last.directive
        : undefined
    if (own !== undefined) parts.pop()
    const body = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
    parts.push({ language: language ?? '', body: body.join('\n'), line: at + 1, directive: own })
    at = end
  }
  return parts
}

/** The list after a line, surrounded by blank lines. */
function listAfter(text: string, line: number): string {
  const [list = ''] = text.split('\n').slice(line).join('\n').trim().split('\n\n')
  if (!/^(1\.|-) /.test(list)) throw new Error('what is done in a browser is a list')
  return list
}

function addDirective(page: Page, { directive }: Directive): void {
  const first = /^(\S+\.md) first$/.exec(directive)?.[1]
  const need = /^needs (\S+)$/.exec(directive)?.[1]
  if (first !== undefined) page.steps.push({ kind: 'page', path: first })
  else if (need !== undefined) page.needs.push(need)
  else if (directive === 'Ctrl+C') page.steps.push({ kind: 'end', signal: 'SIGINT' })
  else if (directive === 'kill -9') page.steps.push({ kind: 'end', signal: 'SIGKILL' })
  else throw new Error(`the runner does not know "${directive}" where no block follows`)
}

function addBlock(page: Page, { language, body, line, directive }: Block): void {
  const reason = /^not here, because (.{10,})$/.exec(directive ?? '')?.[1]
  const file = /^the file (\S+)$/.exec(directive ?? '')?.[1]
  if (reason !== undefined) page.left.push({ line, reason })
  else if (file !== undefined) page.steps.push({ kind: 'file', name: file, text: `${body}\n` })
  else if (directive !== undefined && directive !== 'in background')
    throw new Error(`the runner does not know "${directive}"`)
  else if (PROGRAMS.has(language))
    throw new Error('a program is a file that the page runs, or says why it is not run')
  else if (language === 'console') {
    const kind = directive === 'in background' ? 'background' : 'command'
    page.steps.push(...commandsOf(body, line + 1).map((command) => ({ kind, command }) as const))
  }
}

/**
 * Parses `$ command`, its continuation lines (after a backslash, or with `> `), then its output.
 */
function commandsOf(body: string, from: number): Command[] {
  const commands: Command[] = []
  const printed: string[][] = []
  let goesOn = false
  for (const [index, line] of body.split('\n').entries()) {
    const current = commands.at(-1)
    if (line.startsWith('$ ')) {
      commands.push({ line: from + index, text: line.slice(2), prints: '' })
      printed.push([])
    } else if (!current) throw new Error('a console block begins with "$ " and a command')
    else if (goesOn) current.text += `\n${line}`
    else if (line.startsWith('> ') && printed.at(-1)?.length === 0) current.text += `\n${line.slice(2)}`
    else printed.at(-1)?.push(line)
    goesOn = (line.startsWith('$ ') || goesOn) && line.endsWith('\\')
  }
  return commands.map((command, at) => ({ ...command, prints: (printed[at] ?? []).join('\n') }))
}
