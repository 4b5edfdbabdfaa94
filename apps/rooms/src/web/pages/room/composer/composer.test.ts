import { expect, test } from 'bun:test'
import { searchEmoji } from '../emoji/emoji-search.ts'
import { rankByName, tokenBefore } from './completion.ts'
import { type Change, codeBlock, linkSelection, toggleLines, toggleMarks } from './format.ts'
import { GROUP_REFERENCES, personReference, referencesIn, toStored, toWritten } from './references.ts'

const [BOB, BOBBY] = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'] as const

test('R29.4: names that were chosen are stored as mentions, and shown as names when the message is edited', () => {
  const references = {
    ...personReference(BOB, 'Bob'),
    ...personReference(BOBBY, 'Bob Berg'),
    ...GROUP_REFERENCES,
  }
  for (const [text, stored] of [
    ['@Bob, see', `<@${BOB}>, see`],
    ['Hi @Bob Berg and @Bob!', `Hi <@${BOBBY}> and <@${BOB}>!`],
    ['@here and @room', '<!here> and <!room>'],
    ['a@Bob @Bobsled @herence', 'a@Bob @Bobsled @herence'],
  ] as const)
    expect([text, toStored(text, references)]).toEqual([text, stored])
  expect(toStored('`@Bob`\n```\n@Bob\n```\n@Bob', references)).toBe(
    `\`@Bob\`\n\`\`\`\n@Bob\n\`\`\`\n<@${BOB}>`,
  )
  const mentions = [{ userId: BOBBY, nickname: 'Robert' }]
  const written = toWritten({ content: `<@${BOBBY}>: <!here>, not <@${BOB}>`, mentions })
  expect(written.text).toBe(`@Robert: @here, not <@${BOB}>`)
  expect(toStored(written.text, written.references)).toBe(`<@${BOBBY}>: <!here>, not <@${BOB}>`)
})

test('R35.3b: a name that is typed in full is a mention, without being chosen', () => {
  const people = [
    { userId: BOB, nickname: 'Bob' },
    { userId: BOBBY, nickname: 'Bob Berg' },
  ]
  for (const [text, stored] of [
    ['Thanks @Bob, and @Bob Berg.', `Thanks <@${BOB}>, and <@${BOBBY}>.`],
    ['@bob @Bobsled `@Bob`', '@bob @Bobsled `@Bob`'],
  ] as const)
    expect(toStored(text, referencesIn(text, people))).toBe(stored)
  expect(referencesIn('Bob Berg', people)).toEqual({})
})

test('R35.3b: people, rooms and emoji are completed at the cursor, but not in code or within a word', () => {
  for (const [text, kind, query] of [
    ['@', '@', ''],
    ['Hi @bo', '@', 'bo'],
    ['Hi @bob be', '@', 'bob be'],
    ['(#gen', '#', 'gen'],
    ['so :smi', ':', 'smi'],
    ['at 10:30', undefined, undefined],
    ['http://a', undefined, undefined],
    ['a@b', undefined, undefined],
    [':s', undefined, undefined],
    ['`@bo', undefined, undefined],
    ['```\n@bo', undefined, undefined],
    ['```\nx\n```\n@bo', '@', 'bo'],
  ] as const) {
    const token = tokenBefore(text, text.length)
    expect([text, token?.kind, token?.query]).toEqual([text, kind, query])
    if (token) expect(text[token.from]).toBe(token.kind)
  }
  const people = ['Carl Bo', 'Bob', 'Bo', 'Abo'].map((name) => ({ name }))
  expect(rankByName(people, 'bo', 3).map(({ name }) => name)).toEqual(['Bob', 'Bo', 'Carl Bo'])
  const accented = [{ name: 'Mélanie' }, { name: 'İbrahim' }, { name: 'Anna Ångström' }]
  for (const [query, name] of [
    ['melanie', 'Mélanie'],
    ['IBR', 'İbrahim'],
    ['ang', 'Anna Ångström'],
  ] as const)
    expect(rankByName(accented, query, 3)).toEqual([{ name }])
  expect(searchEmoji('PIÑA', 1).map(({ name }) => name)).toEqual(['pinata'])
})

/** The text after a change, with the selection in brackets. */
function changed(
  text: string,
  make: (selected: { text: string; from: number; to: number }) => Change,
): string {
  const from = text.indexOf('[')
  const to = text.indexOf(']') - 1
  const plain = text.replace('[', '').replace(']', '')
  const change = make({ text: plain, from, to })
  const result = plain.slice(0, change.from) + change.text + plain.slice(change.to)
  const [start, end] = change.selection
  return `${result.slice(0, start)}[${result.slice(start, end)}]${result.slice(end)}`
}

test('R35.3a: formats are added to the selected text and taken away again', () => {
  for (const [before, mark, after] of [
    ['a [b] c', '**', 'a **[b]** c'],
    ['a **[b]** c', '**', 'a [b] c'],
    ['a **[b]** c', '*', 'a ***[b]*** c'],
    ['[]', '`', '`[]`'],
  ] as const)
    expect([before, changed(before, (selected) => toggleMarks(selected, mark))]).toEqual([before, after])
  expect(changed('one\nt[wo\nthr]ee', (selected) => toggleLines(selected, '> '))).toBe(
    'one\n[> two\n> three]',
  )
  expect(changed('one\n[> two]', (selected) => toggleLines(selected, '> '))).toBe('one\n[two]')
  const at = (change: Change) => change.text
  expect(at(linkSelection({ text: 'docs', from: 0, to: 4 }))).toBe('[docs]()')
  expect(at(linkSelection({ text: 'docs', from: 0, to: 4 }, 'https://a.example'))).toBe(
    '[docs](https://a.example)',
  )
  expect(at(codeBlock({ text: 'see', from: 3, to: 3 }, 'let x\n', 'ts'))).toBe('\n```ts\nlet x\n```\n')
})
