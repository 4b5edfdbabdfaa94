import { expect, test } from 'bun:test'
import { visible } from './visible.ts'

test('L29.5e: invisible characters are shown by their numbers', () => {
  expect(visible('safe\u202Egpj.exe')).toBe('safe⟦U+202E⟧gpj.exe')
  expect(visible('a\u200Bb\u00ADc\u3164d\u2800e\u{E0041}f')).toBe(
    'a⟦U+200B⟧b⟦U+00AD⟧c⟦U+3164⟧d⟦U+2800⟧e⟦U+E0041⟧f',
  )
  expect(visible('one\r\ntwo\u2028three\u00A0four\uD800')).toBe(
    'one⟦U+000D⟧⟦U+000A⟧two⟦U+2028⟧three⟦U+00A0⟧four⟦U+D800⟧',
  )
})

test('L29.5e: words and emoji of any language stay as they are', () => {
  for (const text of ['Räksmörgås & co.', '访问 链接', 'ลิงก์', 'שלום עולם', '👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇸🇪'])
    expect(visible(text)).toBe(text)
})
