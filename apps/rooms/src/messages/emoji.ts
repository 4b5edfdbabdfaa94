const RGI_EMOJI = /^\p{RGI_Emoji}$/v
const VARIATION_SELECTOR = '\u{FE0F}'
/** Characters that are text unless a variation selector, or a skin tone, follows them. */
const TEXT_BY_DEFAULT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu

/**
 * Fully qualified form of one emoji recommended by Unicode; undefined for any other text. Keyboards
 * and pickers differ in the variation selectors that they write.
 */
export function qualifyEmoji(text: string): string | undefined {
  const bare = text.replaceAll(VARIATION_SELECTOR, '')
  const qualified = bare.replaceAll(TEXT_BY_DEFAULT, `$&${VARIATION_SELECTOR}`)
  return RGI_EMOJI.test(qualified) ? qualified : undefined
}
