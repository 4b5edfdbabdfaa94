import { createHmac } from 'node:crypto'

const SECONDS_A_DAY = 86_400

// visitor_fp of L13.1: the daily salt makes a visitor's hashes of two days unrelated.
export function visitorHasher(
  secret: string,
): (address: string | null, userAgent: string | null, nowSeconds: number) => string | null {
  let day = NaN
  let salt = ''
  return (address, userAgent, nowSeconds) => {
    if (!address && !userAgent) return null
    const today = Math.floor(nowSeconds / SECONDS_A_DAY)
    if (today !== day) {
      day = today
      salt = dailySalt(secret, today)
    }
    // The salt's length is fixed and the address carries its own, so no two visitors share one text.
    return Bun.SHA256.hash(`${salt}${address?.length ?? 0}:${address ?? ''}${userAgent ?? ''}`, 'base64url')
  }
}

function dailySalt(secret: string, day: number): string {
  const date = new Date(day * SECONDS_A_DAY * 1000).toISOString().slice(0, 10)
  return createHmac('sha256', secret).update(date).digest('base64url')
}
