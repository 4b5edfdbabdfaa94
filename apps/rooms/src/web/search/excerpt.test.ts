import { expect, test } from 'bun:test'
import { excerpt } from './excerpt.ts'

const ID = '01234567-89ab-4cde-8f01-23456789abcd'
const named = (content: string, marks: [number, number][] = []) =>
  excerpt({ content, marks, names: new Map([[ID, 'Ada']]) })

test('R32.4: an excerpt is one line with the matches marked and the names of mentioned people', () => {
  const content = `<@${ID}> **said**\n\n  hello <!room>`
  expect(named(content, [[content.indexOf('hello'), 5]])).toEqual([
    { text: '@Ada said ', isMarked: false },
    { text: 'hello', isMarked: true },
    { text: ' @room', isMarked: false },
  ])
  expect(named('plain')).toEqual([{ text: 'plain', isMarked: false }])
})

test('R32.4: an excerpt of a long message is around its first match and cuts no word or character', () => {
  const words = 'word '.repeat(200)
  const content = `${words}needle ${words}`
  const pieces = named(content, [[1000, 6]])
  const text = pieces.map((piece) => piece.text).join('')
  expect(text).toMatch(/^… word word .*needle word.* word …$/)
  expect(text.length).toBeLessThan(340)
  expect(pieces.filter(({ isMarked }) => isMarked)).toEqual([{ text: 'needle', isMarked: true }])
  for (const offset of [0, 1]) {
    const emoji = 'x'.repeat(offset) + '😀'.repeat(500)
    const cut = named(`${emoji} end`, [[emoji.length + 1, 3]])
      .map((piece) => piece.text)
      .join('')
    expect(cut.isWellFormed()).toBe(true)
  }
  const mentions = `<@${ID}> `.repeat(50)
  expect(
    named(`${mentions}end`, [[mentions.length, 3]])
      .map((piece) => piece.text)
      .join(''),
  ).toMatch(/^… (@Ada )+end$/)
})
