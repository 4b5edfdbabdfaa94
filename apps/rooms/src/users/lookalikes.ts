// Letters and digits that look like a basic Latin letter, from confusables.txt 10.0.0 of Unicode
// (UTS #39): entries whose target is one of a to z, after compatibility decomposition, without
// marks and in lower case. Small capitals, and digits that are used in place of letters, are added.
// Code points are in hex. © Unicode, Inc., Unicode License v3 (see NOTICE).
const CODE_POINTS: Readonly<Record<string, string>> = {
  a: '251 3b1 430 15c5 1d00 a4ee ab7a 102a0 16f40',
  b: '180 183 185 253 299 3b2 431 432 44c 463 48d 13fc 15af 15f7 a4d0 a7b5 ab9f 10282 102a1 10301',
  c: '23c 3c2 3c3 441 4ab 1d04 2ca5 a4da abaf 102a2 10302 1043d 1051c 118e9 118f2',
  d: 'f0 111 18c 256 257 501 146f 15de 15ea 1d05 a4d2 a4d3 ab70 abb7',
  e: '247 3b5 435 4bd 4bf 1d07 2d39 a4f0 ab32 ab7c 10286 118c6 118ce',
  f: '192 3dd 584 15b4 1d6e 1e9d a4dd a730 a799 ab35 10287 102a5 10525 118c2',
  g: '18d 1e5 260 261 262 50d 581 13fb 1d83 a4d6 ab90',
  h: '127 266 29c 3b7 43d 45b 4a3 4bb 4c8 4ca 570 13fa 157c 2c68 2c8f a4e7 a695 ab8b ab92 102cf',
  i: '131 268 269 26a 3b9 456 4cf 1d7b 1d7c a647 ab75 118c3',
  j: '249 29d 3f3 458 148d 1d0a a4d9 ab7b',
  k: '199 3ba 43a 49b 49f 16d5 1d0b 2c6a 2c95 a4d7 a741 abb6 10518',
  l: '31 142 19a 1c0 268 269 26b 26d 29f 3b9 456 4cf 5d5 5df 627 661 673 6f1 7ca 14aa 16c1 2c93 2cd1 2d4f a4e1 a4f2 abae 1028a 10309 10320 10443 10526 118c3 118d2 16f16 16f28 1e8c7',
  m: '3bc 3fb 43c 4ce 15f0 16d6 1d0d 2c99 a4df ab87 102b0 10311',
  n: '19e 272 273 274 3b7 3bd 578 57c 1d70 2c9b a4e0 10513',
  o: '30 f8 275 3b8 3bf 3c3 43e 473 4e9 585 5e1 647 665 6be 6c1 6d5 6f5 6ff 7c0 966 9e6 a66 ae6 b20 b66 be6 c66 ce6 d20 d66 e50 ed0 1010 101d 1040 10ff 12d0 1d0f 1d11 2c9f 2d31 2d41 2d54 3007 a4f3 a74b ab3d ab3e ab74 ab8e abbb 10292 102ab 1042c 104ea 10516 114d0 118c8 118d5 118d7 118e0',
  p: '1a5 3c1 440 146d 1d18 1d7d 2ca3 a4d1 abb2 10295',
  q: '2a0 51b 563 566 2d55 a7af',
  r: '24d 27c 27d 280 433 493 1587 1d26 1d72 2c85 a4e3 ab47 ab48 ab71 ab81 aba2 104dc 16f35',
  s: '1bd 282 455 57f 1d74 a4e2 a731 aba5 abaa 10296 10448 118c1 16f3a',
  t: '167 1ad 288 3c4 442 4ad 1d1b 1d75 2c66 2ca7 a4d4 ab72 10297 102b1 10315 118dc 16f0a',
  u: '289 28b 3c5 57d 1200 144c 1d1c 1d7e a4f4 a79f ab4e ab52 ab9c 104f6 118d8 16f42',
  v: '3bd 475 5d8 667 6f7 142f 1d20 2d38 a4e6 a6df aba9 1051d 11706 118c0 16f08',
  w: '26f 461 47d 51d 561 1d21 a4ea a761 ab83 aba4 114c5 1170a 1170e 1170f 118e6 118ef',
  x: '3c7 445 4b3 1541 157d 16b7 2cad 2d5d a4eb ab53 10290 102b4 10317 10322 10527 118ec',
  y: '1b4 24f 263 28f 3b3 3c5 443 4af 4b1 10e7 1d8c 1eff 2ca9 a4ec ab5a ab79 ab8d 102b2 118c4 118dc 16f43',
  z: '1b6 225 290 3b6 1d22 1d76 a4dc ab93 102f5 118c4 118c9 118e5',
}

/**
 * Characters that are used in place of letters. `i` and `l` are included, because they look alike
 * in many fonts.
 */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  a: '4@',
  b: '8',
  e: '3',
  g: '9',
  i: 'l1|',
  l: 'i|',
  o: '0',
  s: '5$',
  t: '7',
  z: '2',
}

const LETTERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(CODE_POINTS).map(([letter, points]) => {
    const alike = points.split(' ').map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
    return [letter, new Set([letter, ...alike, ...Array.from(SUBSTITUTES[letter] ?? '')])]
  }),
)

/**
 * The letter that each character looks like. If there are several, the last one. `i`, `l` and `1`
 * count as one letter.
 */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CODE_POINTS).flatMap(([letter, points]) =>
    points.split(' ').map((point) => [String.fromCodePoint(Number.parseInt(point, 16)), letter] as const),
  ),
  ...Array.from('1|ı', (sign) => [sign, 'i'] as const),
])

/** Letter sequences that look like one letter. */
const RUNS: readonly [string, string][] = [
  ['rn', 'm'],
  ['vv', 'w'],
]

/**
 * Letters that look like punctuation: those whose target in confusables.txt 15.1.0 is punctuation,
 * and all modifier letters of the alphabets that names imitate.
 */
const LIKE_PUNCTUATION = String.raw`[[\p{Lm}&&[\p{sc=Zyyy}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Nkoo}\p{sc=Lisu}\p{sc=Arab}]]--[\p{scx=Hira}\p{scx=Kana}\p{scx=Hani}]]|[ǃʔɂⵑᑊᛌꞌꞏᐧⵈⵗⵂⲻⳇ\u{16f51}\u{16f52}]`
/** Letters of other languages that look like punctuation only beside Latin letters. */
const LIKE_PUNCTUATION_IN_LATIN = '[י一ーㅡᅳノ丿〳丶ヽᅵ丨亅]+'
const PUNCTUATION_LIKE = new RegExp(
  `${LIKE_PUNCTUATION}|(?<=[a-z])${LIKE_PUNCTUATION_IN_LATIN}|${LIKE_PUNCTUATION_IN_LATIN}(?=[a-z])`,
  'gv',
)

/**
 * Compatibility decomposition (of full-width, mathematical and circled letters, for example),
 * without marks, in lower case. Letters that look like punctuation are apostrophes.
 */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .replaceAll(PUNCTUATION_LIKE, "'")
}

/**
 * First code points of alphabets that look like letters but are symbols in Unicode: white letters
 * in circles and squares, and letters of flags.
 */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]

/** Replaces such symbols in a text of `plain` with the letters that they show. */
export function unboxLetters(text: string): string {
  return text.replaceAll(/[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu, (symbol) => {
    const point = symbol.codePointAt(0) ?? 0
    const first = ALPHABETS.findLast((start) => start <= point) ?? 0
    return String.fromCodePoint('a'.charCodeAt(0) + point - first)
  })
}

/**
 * A pattern for texts that look like the word, in words that are each surrounded by one space.
 * Spaces inside are ignored. The time is linear in the text. Word and text must be results of
 * `plain`.
 *
 * @example lookalikePattern('owner').test(' ο w n e r ') // with a Greek first letter
 */
export function lookalikePattern(word: string): RegExp {
  return new RegExp(` ${Array.from(word, lookalikesOf).join(' ?')} `, 'u')
}

function lookalikesOf(letter: string): string {
  const alike = `[${Array.from(LETTERS.get(letter) ?? [letter]).join('')}]`
  const run = RUNS.find(([, read]) => read === letter)?.[0]
  return run === undefined ? alike : `(?:${alike}|${Array.from(run).join(' ?')})`
}

/**
 * Suffixes that distinguish equal names in a room, also if users type them. 0 and 1 are letters at
 * this point.
 */
const SUFFIXES = /(?: *#[oi2-9a-f]{4})+$/

/**
 * The skeleton of a name in the sense of UTS #39, which is equal for names that can be confused:
 * letters are replaced with the letters that they look like, and case, invisible characters,
 * spaces, punctuation and symbols are ignored. Stored with accounts, so a change of the result
 * requires a migration.
 *
 * @example skeleton('Аlice') === skeleton('alice') // with a Cyrillic first letter
 */
export function skeleton(name: string): string {
  const letters = Array.from(unboxLetters(plain(name)), (sign) =>
    (LOOKS_LIKE.get(sign) ?? sign).replace('l', 'i'),
  )
  const own = letters.join('').replace(SUFFIXES, '')
  // Symbols count in a name that has nothing else.
  const bare = own.replaceAll(/[^\p{L}\p{N}]/gu, '') || own
  return RUNS.reduce((text, [run, letter]) => text.replaceAll(run, letter), bare) || name
}
