import { type Finding, fail, ok } from '@latchkey/doctor/finding'

/**
 * Checks that the bus delivers messages between nodes. The finding contains only the host, since
 * the URL may contain a password.
 */
export async function checkBus(url: string): Promise<Finding> {
  const { host } = new URL(url)
  // Imported here: otherwise every command would load the Redis client.
  const { probeBus } = await import('../realtime/bus-redis.ts')
  try {
    await probeBus(url)
    return ok('bus', `${host} delivers messages`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(
      'bus',
      `${host} does not deliver messages (${why}): other nodes would see events seconds later`,
    )
  }
}
