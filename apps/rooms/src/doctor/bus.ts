import { type Finding, fail, ok } from '@latchkey/doctor/finding'

/** Whether nodes would hear of each other; only its host is named, since the address may hold a password. */
export async function checkBus(url: string): Promise<Finding> {
  const { host } = new URL(url)
  // Loaded only where there is a bus: every command would wait for the client of Redis.
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
