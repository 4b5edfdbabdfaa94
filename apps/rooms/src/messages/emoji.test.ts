import { expect, test } from 'bun:test'
import { qualifyEmoji } from './emoji.ts'

test('R29.2: an emoji is brought to its fully qualified form, however a keyboard writes it', () => {
  const forms: Record<string, string[]> = {
    '❤️': ['❤', '❤\u{FE0F}', '❤\u{FE0F}\u{FE0F}'],
    '👍': ['👍', '👍\u{FE0F}'],
    '👍🏽': ['👍🏽', '👍\u{FE0F}🏽'],
    '☝🏿': ['☝🏿', '☝\u{FE0F}🏿'],
    '1️⃣': ['1⃣', '1\u{FE0F}⃣'],
    '🏴‍☠️': ['🏴‍☠', '🏴‍☠\u{FE0F}'],
    '👁️‍🗨️': ['👁‍🗨', '👁\u{FE0F}‍🗨'],
    '🕵🏽‍♂️': ['🕵🏽‍♂'],
    '👩‍❤️‍💋‍👨': ['👩‍❤‍💋‍👨'],
    '🇸🇪': ['🇸🇪'],
    '🏴󠁧󠁢󠁳󠁣󠁴󠁿': ['🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  }
  for (const [qualified, written] of Object.entries(forms))
    expect(written.map(qualifyEmoji)).toEqual(written.map(() => qualified))
})

test('R29.2: every emoji of one character keeps its fully qualified form', () => {
  let count = 0
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    for (const form of [character, `${character}\u{FE0F}`])
      if (/^\p{RGI_Emoji}$/v.test(form) && ++count) expect(qualifyEmoji(form)).toBe(form)
  }
  expect(count).toBeGreaterThan(1300)
})

test('R29.2: no other text is an emoji', () => {
  const others = [
    '',
    ' ',
    '1',
    '#',
    'a',
    ':)',
    ':thumbsup:',
    '👍👍',
    '👍 ',
    '🇸',
    '‍',
    '\u{FE0F}',
    '👍‍👎',
    '🏴󠁧',
    'é',
    '<b>',
  ]
  expect(others.map(qualifyEmoji)).toEqual(others.map(() => undefined))
})
