// Names, comments, test names and documents use the words of docs/glossary.md. Strings are not
// read: names on the wire stay as the specification has them.
import { Visitor, parseSync } from 'oxc-parser'

interface Match {
  /** Offset of the word in the source. */
  offset: number
  word: string
}

const PROSE = /\b(?:told|tells?|telling|somebody|nobody|everybody|whoever|whosever|anew)\b/gi

/** Words that must not be part of an identifier. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'anew doomed everybody figures hear heard hears most newcomer news nobody patience said say says somebody ' +
    'surroundings tell tells told turnstile whoever whose wish wished'
  ).split(' '),
)
/**
 * Participles that are not a name by themselves: they do not say what the thing is. `counted` is one
 * on the wire (L27).
 */
const PARTICIPLES: ReadonlySet<string> = new Set(
  'asked filled found given kept known needed shown taken'.split(' '),
)
const TEST_FUNCTIONS: ReadonlySet<string> = new Set(['describe', 'test'])

/** Returns the words of a TypeScript file that the glossary replaces, each as `line: word`. */
export function checkCode(path: string, source: string): string[] {
  const matches: Match[] = []
  const { program, comments } = parseSync(path, source)
  const checkName = ({ name, start }: { name: string; start: number }) => {
    if (isReplacedName(name)) matches.push({ offset: start, word: name })
  }
  new Visitor({
    Identifier: checkName,
    PrivateIdentifier: checkName,
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && TEST_FUNCTIONS.has(callee.name) && first?.type === 'Literal')
        matches.push(...findWords(source, first.start, first.end))
    },
  }).visit(program)
  for (const { start, end } of comments) matches.push(...findWords(source, start, end))
  return matches.map((match) => describeMatch(source, match))
}

/** Returns the words of a Markdown document that the glossary replaces, each as `line: word`. */
export function checkDocument(source: string): string[] {
  // Code keeps its length, so that offsets stay true.
  const prose = source.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
  return findWords(prose, 0, prose.length).map((match) => describeMatch(source, match))
}

function isReplacedName(name: string): boolean {
  const words = name
    .split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((word) => word.toLowerCase())
  return words.some((word) => WORDS.has(word)) || PARTICIPLES.has(name.toLowerCase())
}

function findWords(source: string, start: number, end: number): Match[] {
  return [...source.slice(start, end).matchAll(PROSE)].map(({ 0: word, index }) => ({
    offset: start + index,
    word,
  }))
}

function describeMatch(source: string, { offset, word }: Match): string {
  return `${source.slice(0, offset).split('\n').length}: ${word}`
}

async function listFiles(...patterns: readonly string[]): Promise<string[]> {
  const { stdout } = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard', ...patterns])
  return stdout.toString().split('\n').filter(Boolean)
}

if (import.meta.main) {
  const code = (await listFiles('*.ts', '*.tsx', '*.mts')).map(
    async (path) => [path, checkCode(path, await Bun.file(path).text())] as const,
  )
  const documents = (await listFiles('*.md', ':!docs/glossary.md')).map(
    async (path) => [path, checkDocument(await Bun.file(path).text())] as const,
  )
  const lines = (await Promise.all([...code, ...documents])).flatMap(([path, matches]) =>
    matches.map((line) => `${path}:${line}`),
  )
  for (const line of lines) console.log(line)
  if (lines.length > 0) console.log('docs/glossary.md has the words to use instead.')
  process.exit(lines.length > 0 ? 1 : 0)
}
