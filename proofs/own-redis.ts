import { ownRedis, redisServer } from '../apps/rooms/test/realtime/redis.ts'
import { MissingProgram } from './proof.ts'

export type OwnRedis = Awaited<ReturnType<typeof ownRedis>>

/** Gives `work` a Redis server of its own. Throws `MissingProgram` without an installation. */
export async function withRedis<Result>(work: (redis: OwnRedis) => Promise<Result>): Promise<Result> {
  if (redisServer === null) throw new MissingProgram('Redis is not installed')
  const redis = await ownRedis()
  try {
    return await work(redis)
  } finally {
    await redis.kill()
  }
}
