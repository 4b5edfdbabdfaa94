import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './page.ts'

/** The specification pages, each with the prefix of its rules. */
const SPECIFICATIONS: { prefix: string; path: string }[] = [
  { prefix: 'L', path: 'docs/specification/links.md' },
  { prefix: 'R', path: 'docs/specification/rooms.md' },
  { prefix: 'C', path: 'docs/specification/sign-in.md' },
]
const FOLDERS = ['apps/links', 'apps/rooms', 'apps/latchkey', 'packages', 'sdks', 'docs', 'scripts', 'bench']

interface Rule {
  id: string
  isUntestable: boolean
}

/**
 * Rules are paragraphs that begin with their number in bold, and sections that have text before
 * their first such paragraph. A rule without a test ends with `_(Not tested: reason.)_`.
 */
function rulesOf(text: string): Rule[] {
  const parts = text.split(/^(?:## (?=[A-Z]\d+ )|(?=\*\*[A-Z]\d+(?:\.\d+)?\*\* ))/m).slice(1)
  return parts.flatMap((part) => {
    const [, id = '', content = ''] = /^\**([A-Z]\d+(?:\.\d+)?)\b.*?(?:\*\*|\n|$)([\s\S]*)/.exec(part) ?? []
    if (content.trim() === '') return []
    return { id, isUntestable: /_\(Not tested: [^)]{10,}\.\)_$/m.test(content) }
  })
}

/** Ids in a text, without percent-encoded bytes such as `%C3`. */
function citationsIn(text: string, prefix: string): string[] {
  return [...text.matchAll(new RegExp(String.raw`(?<![\w%])${prefix}\d+(?:\.\d+)?\b`, 'g'))].map(([id]) => id)
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
    '**X3** Without a section.',
  ].join('\n\n')
  expect(rulesOf(page)).toEqual([
    { id: 'X1.1', isUntestable: false },
    { id: 'X1.2', isUntestable: true },
    { id: 'X2', isUntestable: false },
    { id: 'X2.1', isUntestable: false },
    { id: 'X3', isUntestable: false },
  ])
  expect(citationsIn('X1.1, (X2): %X3%84 MAX4', 'X')).toEqual(['X1.1', 'X2'])
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

  test(`every rule of ${path} is cited by a test, or has the reason why it is not tested`, () => {
    const cited = new Set(tests.flatMap((each) => citationsIn(each.text, prefix)))
    expect(
      rules.filter(({ id, isUntestable }) => cited.has(id) === isUntestable).map(({ id }) => id),
    ).toEqual([])
  })
}
