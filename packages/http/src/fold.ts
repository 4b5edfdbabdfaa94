/**
 * Keeps at most 30 combining marks in a row, as in the Stream-Safe Text Format of UAX #15. Ordering
 * marks takes quadratic time: 40 ms for 2,000.
 */
export function boundMarks(value: string): string {
  return value.replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
}

/**
 * Characters that do not distinguish words: accents, vowel points of Hebrew and Arabic, the Arabic
 * letter stretcher, and characters without a glyph. Marks of other scripts are parts of their
 * letters, such as the voicing marks of kana.
 */
const IGNORED =
  /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]|[\u0640\p{Default_Ignorable_Code_Point}]/gu

/** Letters that have no decomposition, as people without them on their keyboards write them. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  '‘': "'",
  '’': "'",
  ʻ: "'",
  ʼ: "'",
}
const SUBSTITUTED = new RegExp(`[${Object.keys(SUBSTITUTES).join('')}]`, 'gu')

// oxlint-disable-next-line no-control-regex -- the range is ASCII.
const ASCII = /^[\0-\x7f]*$/

/**
 * Folds a text for search, in the same way for every finder and on both engines: without case,
 * accents, width and other compatibility forms. Upper-casing turns ß into ss and ı into i. The
 * result is composed (NFC), so that Hangul has one character for each syllable. Stored with what is
 * searched, so a change of the result requires a migration.
 *
 * @example foldText('Café ＩＳＴＡＮＢＵＬ') === 'cafe istanbul'
 */
export function foldText(value: string): string {
  if (ASCII.test(value)) return value.toLowerCase()
  return boundMarks(value)
    .normalize('NFKD')
    .replaceAll(IGNORED, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(SUBSTITUTED, (letter) => SUBSTITUTES[letter] ?? letter)
    .normalize('NFC')
}
