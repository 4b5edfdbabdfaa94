// Names as they are displayed and compared (R8.3, C84).
import { boundMarks } from '@latchkey/http/fold'

/** Maximum graphemes of a name. */
export const MAX_GRAPHEMES = 64
// Maximum bytes of a name in UTF-8. Combining marks can make a grapheme arbitrarily long. A family
// emoji has 25 bytes, with skin tones 41. An index of PostgreSQL accepts at most 2704.
const MAX_BYTES = 2048
/** Maximum UTF-16 units of an input that is read as a name or as part of one. */
export const MAX_INPUT_LENGTH = 2048

// Emoji come first, to keep the invisible characters inside them: joiners, variation selectors, the
// letters of a flag. \p{Default_Ignorable_Code_Point} covers all invisible characters: joiners,
// bidirectional marks, fillers, tags.
const EMOJI_OR_INVISIBLE =
  /\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?(?:\u200D\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)+|\p{RGI_Emoji}|(?<invisible>[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}\uFFF9-\uFFFB])/gv
// Any white space, and the Braille pattern without dots.
const BLANKS = /[\s\u0085\u2800]+/gu

/**
 * The name in NFC, without control, bidirectional and zero-width characters, with single spaces and
 * none around it. Empty if nothing visible is left. Names that differ only in these ways become
 * equal. Input after `MAX_INPUT_LENGTH` units is cut off.
 */
export function cleanName(text: string): string {
  const visible = boundMarks(text.slice(0, MAX_INPUT_LENGTH))
    .normalize('NFC')
    .replace(BLANKS, ' ')
    .replace(EMOJI_OR_INVISIBLE, (match, invisible: string | undefined) =>
      invisible === undefined ? match : '',
    )
  // The removed characters may have separated characters that compose, or spaces.
  return boundMarks(visible).normalize('NFC').replace(BLANKS, ' ').trim()
}

/**
 * The first graphemes of a cleaned name, which are the characters that users perceive. Never cuts
 * inside a grapheme.
 */
export function truncateToGraphemes(text: string, max: number = MAX_GRAPHEMES): string {
  let end = 0
  let count = 0
  let bytes = 0
  for (const { index, segment } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (count === max || bytes > MAX_BYTES) break
    count += 1
    end = index + segment.length
  }
  return text.slice(0, end).trimEnd()
}
