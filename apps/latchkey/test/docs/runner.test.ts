import { describe, expect, test } from 'bun:test'
import { follow } from './follow.ts'
import { CHANGING, isShown, isWithin } from './normalize-output.ts'
import { parsePage } from './page.ts'

const console_ = (text: string, before = '') => `${before}\n\n\`\`\`console\n${text}\n\`\`\`\n`

describe('following a page', () => {
  test('succeeds if every command prints the output on the page, in one shell and folder', async () => {
    const text = console_(
      '$ NAME=Ann\n$ cat > note.txt <<END\n> one\n> END\n$ echo "$NAME" \\\n    "said"; cat note.txt\nAnn said\none',
    )
    expect(await follow(parsePage('page.md', text))).toBeUndefined()
  })

  test.each<[what: string, text: string, because: string]>([
    ['another output', '$ echo one\ntwo', 'it printed\none'],
    ['an output missing on the page', '$ echo one', 'it printed\none'],
    ['a missing output', '$ true\none', 'the page shows\none'],
    ['a failure without output', '$ false', 'ended with 1'],
    ['a part of the output', '$ echo one\none\ntwo', 'it printed\none'],
    ['another number', `$ echo '{"total_clicks":2}'\n{ "total_clicks": 1 }`, '"total_clicks":2'],
    ['an additional line', String.raw`$ printf 'one\ntwo\n'` + '\none', 'it printed\none\ntwo'],
  ])('fails with %s', async (_, text, because) => {
    expect(await follow(parsePage('page.md', console_(text)))).toContain(because)
  })

  test('fails if a background command ends or prints something else', async () => {
    const page = (text: string) => follow(parsePage('page.md', console_(text, '<!-- run: in background -->')))
    expect(await page(`$ sh -c 'echo ready; exec sleep 60'\nready`)).toBeUndefined()
    expect(await page('$ echo broken\nready')).toContain('it printed\nbroken')
    expect(await page('$ sleep 60')).toContain('must show what it prints')
  })

  test('fails if a program of the page prints something else', async () => {
    const program = (output: string) =>
      `<!-- run: the file sum.js -->\n\n\`\`\`js\nconsole.log(1 + 1)\n\`\`\`\n${console_(`$ node sum.js\n${output}`)}`
    expect(await follow(parsePage('page.md', program('2')))).toBeUndefined()
    expect(await follow(parsePage('page.md', program('3')))).toContain('it printed\n2')
  })

  test('reports unknown directives', () => {
    const problems = (text: string) => parsePage('page.md', text).problems
    expect(problems('<!-- run: later -->\n')).toEqual([
      'page.md:1: the runner does not know "later" where no block follows',
    ])
    expect(problems(console_('$ true', '<!-- run: not here -->'))).toEqual([
      'page.md:3: the runner does not know "not here"',
    ])
    expect(problems(console_('npm test'))).toEqual([
      'page.md:3: a console block begins with "$ " and a command',
    ])
    const left = parsePage(
      'page.md',
      console_('$ reboot', '<!-- run: not here, because it ends the test -->'),
    )
    expect([left.steps, left.left]).toEqual([[], [{ line: 3, reason: 'it ends the test' }]])
  })
})

describe('comparing output', () => {
  test('JSON may be laid out and omitted in part, but not changed', () => {
    const printed = '{"id":1,"slugs":[{"slug":"a b"}],"total_clicks":0}'
    expect(isShown('{ "id": 1,\n  "slugs": [{ "slug": "a b" }],\n  "total_clicks": 0 }', printed)).toBe(true)
    expect(isShown('{"id":1,…,"total_clicks":0}', printed)).toBe(true)
    expect(isShown('{"id":1,…,"total_clicks":1}', printed)).toBe(false)
    expect(isShown('{"id":1,"slugs":[{"slug":"ab"}],"total_clicks":0}', printed)).toBe(false)
    expect(isShown('{"id":1}', printed)).toBe(false)
  })

  test('changing values may differ within their kind, and nothing else may', () => {
    expect(isShown('"created_at":1795240291', '"created_at":1800000000')).toBe(true)
    expect(isShown('"expires_at":1795240291', '"expires_at":0')).toBe(false)
    expect(isShown(`sk_${'0'.repeat(48)}`, `sk_${'a'.repeat(48)}`)).toBe(true)
    expect(isShown('"slug":"gqb7","is_custom":0', '"slug":"x2x2","is_custom":0')).toBe(true)
    expect(isShown('"slug":"gqb7","is_custom":1', '"slug":"x2x2","is_custom":1')).toBe(false)
    expect(CHANGING.filter(([, pattern]) => pattern.test('302 clicks, links, 404'))).toEqual([])
  })

  test('lines within a longer output must match as a whole', () => {
    expect(isWithin('ready', 'starting\nready\n')).toBe(true)
    expect(isWithin('ready', 'already\n')).toBe(false)
  })
})
