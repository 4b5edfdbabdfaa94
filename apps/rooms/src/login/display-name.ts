// Names as they are shown and compared (R8.3, C84).
import { boundMarks } from '@latchkey/http/text'

/** Of a name. */
export const MAX_GRAPHEMES = 64
// Of a name in UTF-8. A grapheme can be of any length, by marks upon marks; a family of four has 25, with skin tones 41. An index
// of PostgreSQL takes no more than 2704.
const MAX_BYTES = 2048
/** UTF-16 units of a name, or a part of one, as it is given. */
export const MAX_INPUT_LENGTH = 2048

// Emoji come first, so that what is invisible inside of one stays: the joiner, the choice of the coloured form, the letters
// behind a flag. \p{Default_Ignorable_Code_Point} is all that shows nothing: joiners, bidirectional marks, fillers, tags.
const EMOJI_OR_INVISIBLE =
  /\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?(?:\u200D\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)+|\p{RGI_Emoji}|(?<invisible>[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}\uFFF9-\uFFFB])/gv
// White space of any kind, and the Braille pattern without dots.
const BLANKS = /[\s\u0085\u2800]+/gu

/**
 * The name in NFC, without control, bidirectional and zero-width characters, each run of blanks one space, none around it.
 * Empty where nothing visible is left. Two names that look the same for one of these reasons are the same afterwards.
 * What comes after `MAX_GIVEN` is cut off.
 */
export function cleanName(text: string): string {
  const visible = boundMarks(text.slice(0, MAX_INPUT_LENGTH))
    .normalize('NFC')
    .replace(BLANKS, ' ')
    .replace(EMOJI_OR_INVISIBLE, (found, invisible: string | undefined) =>
      invisible === undefined ? found : '',
    )
  // What was taken away may have kept two characters apart that compose, or two blanks.
  return boundMarks(visible).normalize('NFC').replace(BLANKS, ' ').trim()
}

/** The first graphemes of a cleaned name: what people take for its characters. Nothing is cut in the middle. */
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
