import { DAY } from '../time/window.ts'

/** The start of the UTC day that contains this moment; both in Unix seconds. */
export function dayOf(moment: number): number {
  return moment - (moment % DAY)
}

// visitor_fp of L13.1: a different salt each UTC day makes a visitor's hashes of two days unrelated
// (L37.1).
export function visitorHasher(
  saltOf: (day: number) => string,
): (address: string | null, userAgent: string | null, nowSeconds: number) => string | null {
  return (address, userAgent, nowSeconds) => {
    if (!address && !userAgent) return null
    const salt = saltOf(dayOf(nowSeconds))
    // The salt has a fixed length and the address is prefixed with its own, so no two visitors
    // share a text.
    return Bun.SHA256.hash(`${salt}${address?.length ?? 0}:${address ?? ''}${userAgent ?? ''}`, 'base64url')
  }
}
