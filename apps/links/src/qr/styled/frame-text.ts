import glyphs from './frame-glyphs.json' with { type: 'json' }
import { type Path, transform } from './path.ts'

/**
 * Letters of Inter as shapes, so that a frame looks the same in each viewer and in print, where the
 * font is missing (docs/design.md). `advance path` by character, in thousandths of the font size,
 * above and below the base line.
 */
const GLYPHS: Readonly<Record<string, string>> = glyphs

/** Height of capital letters, as a share of the font size. */
export const CAPITAL_HEIGHT = 0.728

/** The first character that cannot be drawn. */
export function findUndrawable(text: string): string | undefined {
  return Array.from(text).find((character) => !Object.hasOwn(GLYPHS, character))
}

/** JSON Schema pattern of the texts that can be drawn, with blanks around them. */
export const DRAWABLE_PATTERN = drawablePattern()

function drawablePattern(): string {
  const codes = Object.keys(GLYPHS)
    .flatMap((character) => character.codePointAt(0) ?? [])
    .filter((code) => code !== 0x20)
  const drawn = new Set(codes)
  const letters = codes
    .toSorted((a, b) => a - b)
    .filter((code) => !drawn.has(code - 1) || !drawn.has(code + 1))
    .map((code) => `${drawn.has(code - 1) ? '-' : ''}\\u${code.toString(16).padStart(4, '0')}`)
    .join('')
  return `^\\s*[${letters}](?:[ ${letters}]*[${letters}])?\\s*$`
}

/** A line of text with its middle at `x`, at most `maxWidth` wide, and its width. */
export function textPath(
  text: string,
  { x, y, fontSize, maxWidth }: Record<'x' | 'y' | 'fontSize' | 'maxWidth', number>,
): Path {
  const letters = Array.from(text, (character) => GLYPHS[character] ?? '0')
  const advances = letters.map((letter) => Number.parseFloat(letter) / 1000)
  const width = advances.reduce((sum, advance) => sum + advance, 0)
  const size = Math.min(fontSize, maxWidth / width)
  let left = x - (width * size) / 2
  // Smaller letters stay in the middle of the height of the larger ones.
  const base = y - ((fontSize - size) * CAPITAL_HEIGHT) / 2
  return letters
    .map((letter, at) => {
      const path = transform(letter, size / 1000, left, base)
      left += (advances[at] ?? 0) * size
      return path
    })
    .join('')
}
