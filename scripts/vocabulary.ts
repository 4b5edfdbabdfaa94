// Names, comments, test names and documents use the words of docs/glossary.md. Strings are not
// read: names on the wire stay as the specification has them.
import { join } from 'node:path'
import { Visitor, parseSync } from 'oxc-parser'

interface Match {
  /** Offset of the word in the source. */
  offset: number
  word: string
}

const PROSE = /\b(?:told|tells?|telling|somebody|nobody|everybody|whoever|whosever|anew)\b/gi
/** The second generation of words that are refused, but for the bars of keyboards and charts. */
const LATER_PROSE = /\b(?:gone|rings?|led|(?<!(?:space|progress|search) )bar(?! chart))\b/gi
/** A comment is a noun phrase or a sentence; these point at the line above it. */
const OPENING = /^[\s*]*(?:Those|What is|The same|Of|Nothing|One that)\b/

/** Words of the column "Not" of the glossary that mean something else in most places. */
export const AMBIGUOUS: ReadonlySet<string> = new Set(
  (
    'admin,host,server,place,machine,process,make,add,drop,option,choice,most,least,bound,line,deadline,' +
    'within,memory,letter,spread,hear,step,whole,everything,turn,sentence,short link,name,code,site,alias,' +
    'target,leads to,rotation,guest,user,hit,visit,robot,log,sum,span,kind,list,folder,version,revision,' +
    'audit log,draft,preview,permission,hook,subscriber,token,secret,issuer,walk,attempt,login,profile,' +
    'visitor,root,given,channel,stay,position,cursor,subscription,bot,bar,collection,rank,feed,door,hearing'
  ).split(','),
)

/** Returns the words of the column "Not" of the glossary. */
export function readReplacedWords(glossary: string): string[] {
  const cells = [...glossary.matchAll(/^\|(?:[^|]*\|){2} *([^|]+?) *\|$/gm)].map(([, cell = '']) => cell)
  return cells
    .flatMap((cell) => cell.replaceAll(/\([^)]*\)/g, '').split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== 'Not' && !/^-+$/.test(word))
}

const GLOSSARY = new RegExp(
  `\\b(?:${readReplacedWords(await Bun.file(join(import.meta.dirname, '../docs/glossary.md')).text())
    .filter((word) => !AMBIGUOUS.has(word))
    .join('|')})\\b`,
  'gi',
)

/** Words that must not be part of an identifier. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'anew doomed everybody figures hear heard hears most newcomer news nobody patience said say says somebody ' +
    'surroundings tell tells told turnstile whoever whose wish wished'
  ).split(' '),
)
const LATER_WORDS: ReadonlySet<string> = new Set(['led', 'ring', 'rings'])
/**
 * Participles that are not a name by themselves: they do not say what the thing is. `counted` is one
 * on the wire (L27).
 */
const PARTICIPLES: ReadonlySet<string> = new Set(
  'asked filled found given kept known needed shown taken'.split(' '),
)
const TEST_FUNCTIONS: ReadonlySet<string> = new Set(['describe', 'test', 'testOnSqlite', 'onPostgres'])

/**
 * Returns the words of a TypeScript file that the glossary replaces, each as `line: word`, and the
 * openings of comments that are refused.
 */
export function checkCode(path: string, source: string): string[] {
  const matches: Match[] = []
  const find = (start: number, end: number) => findWords(source, [start, end])
  const { program, comments } = parseSync(path, source)
  const checkName = ({ name, start }: { name: string; start: number }) => {
    if (isReplacedName(name)) matches.push({ offset: start, word: name })
  }
  new Visitor({
    Identifier: checkName,
    PrivateIdentifier: checkName,
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && TEST_FUNCTIONS.has(callee.name) && first?.type === 'Literal')
        matches.push(...find(first.start, first.end))
    },
  }).visit(program)
  for (const [index, { type, start, end, value }] of comments.entries()) {
    matches.push(...find(start, end))
    const above = comments[index - 1]
    const isContinued =
      type === 'Line' && above?.type === 'Line' && /^\n *$/.test(source.slice(above.end, start))
    const opening = isContinued ? undefined : OPENING.exec(value)?.[0]
    if (opening !== undefined)
      matches.push({ offset: start, word: opening.replaceAll(/[\s*]+/g, ' ').trim() })
  }
  return matches.map((match) => describeMatch(source, match))
}

/** Returns the words of a Markdown document that the glossary replaces, each as `line: word`. */
export function checkDocument(source: string): string[] {
  // Code keeps its length, so that offsets stay true.
  const prose = source.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
  return findWords(prose, [0, prose.length]).map((match) => describeMatch(source, match))
}

function isReplacedName(name: string): boolean {
  const words = name
    .split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((word) => word.toLowerCase())
  return words.some((word) => WORDS.has(word) || LATER_WORDS.has(word)) || PARTICIPLES.has(name.toLowerCase())
}

function findWords(source: string, [start, end]: [number, number]): Match[] {
  const patterns = [PROSE, LATER_PROSE, GLOSSARY]
  return patterns.flatMap((pattern) =>
    [...source.slice(start, end).matchAll(pattern)].map(({ 0: word, index }) => ({
      offset: start + index,
      word,
    })),
  )
}

function describeMatch(source: string, { offset, word }: Match): string {
  return `${source.slice(0, offset).split('\n').length}: ${word}`
}

export async function listFiles(...patterns: readonly string[]): Promise<string[]> {
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
