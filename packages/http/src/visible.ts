/**
 * Returns whether a text has a visible character. Some blank characters are not white space but
 * letters without a glyph. No dependencies: web clients import it.
 *
 * @example isVisible('\u2800') // false
 */
export function isVisible(text: string): boolean {
  return /[^\p{Z}\p{Cc}\p{Cf}\p{Co}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}
