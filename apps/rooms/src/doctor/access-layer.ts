import { type Reader, openReader } from '@latchkey/database/database'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { describeKeys } from '../access-layer/keys.ts'
import type { Tables } from '../db/tables.ts'
import type { Settings } from '../settings/settings.ts'

/** Describes the access layer of other services, with the keys that sign (R50). */
export async function* checkAccessLayer(settings: Settings, now: () => number): AsyncGenerator<Finding> {
  const { accessOrigins, accessServiceKey, provider } = settings
  if (accessOrigins === null) return
  const name = 'access layer'
  const conditions = (provider.accessConditions ?? []).map(({ text }) => text)
  const people =
    conditions.length === 0
      ? 'everyone with an account'
      : `people whose claims meet ${conditions.join(' and ')}`
  yield ok(name, `in front of ${accessOrigins.join(', ')}, for ${people}`)
  if (accessServiceKey === null)
    yield warn(
      name,
      'ROOMS_ACCESS_SERVICE_KEY is unset: open pages of these services do not notice a sign-out by themselves',
    )
  if (!provider.scopes.includes('email'))
    yield warn(
      name,
      'AUTH_SCOPES has no email: many providers then send no address, and services know people by ids',
    )
  yield* await checkKeys(settings, now())
}

async function checkKeys({ databaseUrl, provider }: Settings, nowMs: number): Promise<Finding[]> {
  const name = 'access keys'
  let database: Reader<Tables> | undefined
  try {
    database = openReader(databaseUrl)
    const { signing, others } = await describeKeys(database.read, provider.clientSecret, nowMs)
    if (signing === undefined && others.length === 0)
      return [ok(name, 'none yet: the first start creates one')]
    if (signing === undefined)
      return [
        fail(name, 'none can be opened with AUTH_CLIENT_SECRET: restart the nodes, which creates a new one'),
      ]
    const rest = others.length === 0 ? '' : `; also published: ${others.join(', ')}`
    return [ok(name, `${signing} signs assertions${rest}`)]
  } catch {
    // Other findings report why the database cannot be read, or it does not exist yet.
    return []
  } finally {
    await database?.close()
  }
}
