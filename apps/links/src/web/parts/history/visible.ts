/**
 * An emoji, or a character that has no width, changes the direction of its neighbours, breaks the
 * line or is as blank as a space.
 */
const EMOJI_OR_HIDDEN = /\p{RGI_Emoji}|[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]/gv
const EMOJI = /^\p{RGI_Emoji}$/v

/**
 * The text with a name in place of each invisible character, such as `⟦U+202E⟧`. For texts of
 * others that a person relies on.
 */
export function visible(text: string): string {
  return text.replaceAll(EMOJI_OR_HIDDEN, (match) => (EMOJI.test(match) ? match : nameOf(match)))
}

function nameOf(character: string): string {
  return `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`
}
