/**
 * The id of a guest, which contains the time of creation: clients read it from there, since no
 * field has it (R22). A UUID of version 8 that ends with the time in milliseconds. It starts with
 * random digits, by which users with equal names are distinguished (R14.6).
 */
export function newGuestId(nowMs: number): string {
  const random = crypto.randomUUID()
  return `${random.slice(0, 14)}8${random.slice(15, 24)}${nowMs.toString(16).padStart(12, '0')}`
}

/** The time at which the guest was created, in Unix milliseconds; undefined for ids of members. */
export function guestSince(id: string): number | undefined {
  return id[14] === '8' ? Number.parseInt(id.slice(24), 16) : undefined
}
