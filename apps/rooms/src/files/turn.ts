import type { Context } from '../api/context.ts'

/** Guests of one network count together: anyone can be several. */
export function turnOf(context: Context): string {
  const { user } = context.actor
  return user.is_guest === 1 ? context.clientPrefix : user.id
}
