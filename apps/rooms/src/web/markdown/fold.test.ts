import { expect, test } from 'bun:test'
import { firstLines } from './fold.ts'
import { parseMessage } from './parse.ts'
import { blockText } from './plain-text.ts'

const fold = (content: string) => firstLines(parseMessage(content))
const foldedText = (content: string) => blockText(fold(content) ?? [])
const lines = (count: number, line: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('\n')

test('R35.2e, R29.3: a message of 20 lines is shown as a whole, and a longer one only with its first 20', () => {
  for (const line of [
    (number: number) => `line ${number}`,
    (number: number) => `- line ${number}`,
    (number: number) => `> line ${number}`,
    (number: number) => `line ${number}\n`,
    (number: number) => `**line ${number}**`,
  ]) {
    expect(fold(lines(20, line))).toBeUndefined()
    expect(foldedText(lines(21, line))).toContain('line 20')
    expect(foldedText(lines(21, line))).not.toContain('line 21')
    expect(foldedText(lines(999, line))).not.toContain('line 21')
  }
  const code = (count: number) => `\`\`\`\n${lines(count, (number) => `line ${number}`)}\n\`\`\``
  expect(fold(code(20))).toBeUndefined()
  expect(fold(code(100))).toEqual([
    { type: 'code', language: '', text: lines(20, (number) => `line ${number}`) },
  ])
})

test('R29.3: a long line counts as the lines that it fills, and no character is halved', () => {
  expect(fold('a'.repeat(1_500))).toBeUndefined()
  expect(foldedText('a'.repeat(1_501))).toBe(`${'a'.repeat(1_500)}…`)
  expect(foldedText(`${'a'.repeat(1_499)}😀😀`)).toBe(`${'a'.repeat(1_499)}…`)
  expect(foldedText(`**${'a'.repeat(2_000)}** [b](https://a.example)`)).toBe(`${'a'.repeat(1_500)}…`)
  expect(foldedText('*\n'.repeat(1_000)).length).toBeLessThan(60)
  expect(fold('')).toBeUndefined()
})
