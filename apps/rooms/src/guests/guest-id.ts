/**
 * The id of a guest's account tells when it began: clients, which are told so by nothing else, go by it (R22). A UUID of
 * version 8 that ends with the moment; its beginning is random, since names that are equal are told apart by that (R14.6).
 */
export function newGuestId(nowMs: number): string {
  const random = crypto.randomUUID()
  return `${random.slice(0, 14)}8${random.slice(15, 24)}${nowMs.toString(16).padStart(12, '0')}`
}

/** When the account of this id began; undefined for one that does not tell, as of members. */
export function guestSince(id: string): number | undefined {
  return id[14] === '8' ? Number.parseInt(id.slice(24), 16) : undefined
}
