import type { Database } from '@latchkey/database/database'

/** Links between two turns of the event loop: some milliseconds of work. */
const LINKS_PER_TURN = 10

/**
 * Lets redirects run in the middle of a long transaction on SQLite, which never yields to the event
 * loop by itself.
 */
export async function yieldToRedirects(
  { dialect }: Pick<Database<unknown>, 'dialect'>,
  index: number,
): Promise<void> {
  if (dialect === 'sqlite' && index % LINKS_PER_TURN === 0)
    await new Promise((resolve) => setImmediate(resolve))
}

/** Links to store at once. */
export function linksPerTurn({ dialect }: Pick<Database<unknown>, 'dialect'>): number {
  return dialect === 'sqlite' ? LINKS_PER_TURN : Infinity
}
