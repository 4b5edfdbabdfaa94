const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/i

/**
 * Addresses that read like other ones: with characters that change the direction of text, or with
 * user information before the host.
 */
const MISLEADING = /\p{Bidi_Control}|^https?:\/\/[^/?#\\]*@/iu

/** Part of a message: text, or an address to link. */
export interface Part {
  text: string
  isLink: boolean
}

/** Splits a message into texts and addresses, in their order. */
export function partsOf(text: string): Part[] {
  return text.split(ADDRESS).map((part, index) => ({
    text: part,
    isLink: index % 2 === 1 && !MISLEADING.test(part) && URL.canParse(part),
  }))
}
