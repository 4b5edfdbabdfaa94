import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './page.ts'

/** The specification pages, each with the prefix of its rules. */
const SPECIFICATIONS: { prefix: string; path: string }[] = [
  { prefix: 'L', path: 'docs/specification/links.md' },
  { prefix: 'R', path: 'docs/specification/rooms.md' },
  { prefix: 'C', path: 'docs/specification/sign-in.md' },
  { prefix: 'O', path: 'docs/specification/operating.md' },
]
const FOLDERS = ['apps/links', 'apps/rooms', 'apps/latchkey', 'packages', 'sdks', 'docs', 'scripts', 'bench']

/** Characters of a rule's prose, above which it holds more than one rule. */
const MAX_RULE_LENGTH = 500
const MAX_CELL_LENGTH = 200
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

interface Rule {
  id: string
  isUntestable: boolean
  /** Its text outside of tables, lists and code. */
  prose: string
}

/**
 * Rules are paragraphs that begin with their number in bold, and sections that have text before
 * their first such paragraph. A rule without a test ends with `_(Not tested: reason.)_`.
 */
function rulesOf(text: string): Rule[] {
  const parts = text.split(/^(?:## (?=[A-Z]\d+ )|(?=\*\*[A-Z]\d+(?:\.\d+[a-z]?)?\*\* ))/m).slice(1)
  return parts.flatMap((part) => {
    const [, id = '', content = ''] =
      /^\**([A-Z]\d+(?:\.\d+[a-z]?)?)\b.*?(?:\*\*|\n|$)([\s\S]*)/.exec(part) ?? []
    if (content.trim() === '') return []
    const prose = content
      .replaceAll(/^(?:\||<!--|- ).*$|`[^`]*`/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return { id, isUntestable: /_\(Not\s+tested:\s+[^)]{10,}\.\)_$/m.test(content), prose }
  })
}

/** Ids in a text, without percent-encoded bytes such as `%C3` and codes such as `'O1'`. */
function citationsIn(text: string, prefix: string): string[] {
  return [...text.matchAll(new RegExp(String.raw`(?<![\w%])${prefix}\d+(?:\.\d+[a-z]?)?\b(?!')`, 'g'))].map(
    ([id]) => id,
  )
}

const files = FOLDERS.flatMap((folder) => [
  ...new Bun.Glob(`${folder}/**/*.{ts,tsx,py,md,sql,sh,yml}`).scanSync(ROOT),
])
  .filter((path) => !/\/(node_modules|dist|\.venv)\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const tests = files.filter(({ path }) => /\.test\.tsx?$|\/test_\w+\.py$/.test(path))

test('rules are numbered paragraphs, and sections with text of their own', () => {
  const page = [
    '# Title',
    'Introduction with X9.',
    '## X1 Only numbers',
    '**X1.1** First.',
    '| a | table |\n**X1.2** Second. _(Not tested: it has no effect to see.)_',
    '## X2 Text and numbers',
    'Text.',
    '**X2.1** Third, of which X1.1 says more.',
    '**X2.1a** Fourth, with `code`.',
    '**X3** Without a section.',
  ].join('\n\n')
  expect(rulesOf(page)).toEqual([
    { id: 'X1.1', isUntestable: false, prose: 'First.' },
    { id: 'X1.2', isUntestable: true, prose: 'Second. _(Not tested: it has no effect to see.)_' },
    { id: 'X2', isUntestable: false, prose: 'Text.' },
    { id: 'X2.1', isUntestable: false, prose: 'Third, of which X1.1 says more.' },
    { id: 'X2.1a', isUntestable: false, prose: 'Fourth, with .' },
    { id: 'X3', isUntestable: false, prose: 'Without a section.' },
  ])
  expect(citationsIn("X1.1, X1.1b (X2): %X3%84 MAX4 'X5'", 'X')).toEqual(['X1.1', 'X1.1b', 'X2'])
})

for (const { prefix, path } of SPECIFICATIONS) {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const rules = rulesOf(text)
  const ids = rules.map(({ id }) => id)

  test(`${path} numbers every rule once, with ${prefix}`, () => {
    expect(ids.filter((id, at) => !id.startsWith(prefix) || ids.indexOf(id) !== at)).toEqual([])
  })

  test(`every citation of a rule of ${path} resolves`, () => {
    const citableIds = new Set([...ids, ...ids.map((id) => id.split('.')[0])])
    const broken = files.flatMap((file) =>
      citationsIn(file.text, prefix)
        .filter((id) => !citableIds.has(id))
        .map((id) => `${file.path}: ${id}`),
    )
    expect(broken).toEqual([])
  })

  test(`each number of ${path} has one rule, and no cell of a table holds a text`, () => {
    expect(rules.filter(({ prose }) => prose.length > MAX_RULE_LENGTH).map(({ id }) => id)).toEqual([])
    const cells = text.split('\n').flatMap((line) => (line.startsWith('|') ? line.split(/(?<!\\)\|/) : []))
    expect(cells.filter((cell) => cell.trim().length > MAX_CELL_LENGTH && !/^ *-+ *$/.test(cell))).toEqual([])
  })

  test(`the letters after a number of ${path} have no gap`, () => {
    const broken = ids.filter((id, at) => {
      const [, number = '', letter = ''] = /^(.*\d)([a-z]?)$/.exec(id) ?? []
      const before = letter === 'a' ? '' : LETTERS[LETTERS.indexOf(letter) - 1]
      return letter !== '' && ids[at - 1] !== `${number}${before}`
    })
    expect(broken).toEqual([])
  })

  test(`every rule of ${path} is cited by a test, or has the reason why it is not tested`, () => {
    const cited = new Set(tests.flatMap((each) => citationsIn(each.text, prefix)))
    expect(
      rules.filter(({ id, isUntestable }) => cited.has(id) === isUntestable).map(({ id }) => id),
    ).toEqual([])
  })
}
