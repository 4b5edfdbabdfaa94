import { DAY } from '../analytics/window.ts'

/** The beginning of the UTC day that holds this moment; both in Unix seconds. */
export function dayOf(moment: number): number {
  return moment - (moment % DAY)
}

// visitor_fp of L13.1: another salt each UTC day makes a visitor's hashes of two days unrelated (L37.1).
export function visitorHasher(
  saltOf: (day: number) => string,
): (address: string | null, userAgent: string | null, nowSeconds: number) => string | null {
  return (address, userAgent, nowSeconds) => {
    if (!address && !userAgent) return null
    const salt = saltOf(dayOf(nowSeconds))
    // The salt's length is fixed and the address carries its own, so no two visitors share one text.
    return Bun.SHA256.hash(`${salt}${address?.length ?? 0}:${address ?? ''}${userAgent ?? ''}`, 'base64url')
  }
}
