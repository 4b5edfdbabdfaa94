const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/i

/** What would make an address read as another one: characters that turn the direction of text, and a name before the host. */
const MISLEADING = /\p{Bidi_Control}|^https?:\/\/[^/?#\\]*@/iu

/** A piece of what was said, which may be an address to follow. */
export interface Part {
  text: string
  isLink: boolean
}

/** Texts and addresses, in their order. */
export function partsOf(text: string): Part[] {
  return text.split(ADDRESS).map((part, index) => ({
    text: part,
    isLink: index % 2 === 1 && !MISLEADING.test(part) && URL.canParse(part),
  }))
}
