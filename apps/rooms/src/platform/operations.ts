import { type PublicContext, publicOperation } from '../api/context.ts'
import type { Db, Tx } from '../db/tables.ts'
import { VERSION } from '../api/version.ts'
import { AuthConfig, Config, Discovery, type PlatformChanges, type PlatformSettings } from './schema.ts'
import { findPlatformSettings, savePlatformSetting } from './store.ts'

const PRODUCT_NAME = 'Latchkey Rooms'
const tag = 'Platform'

/** The public name of this instance, which only the operator may use. */
export async function productNameOf(db: Db): Promise<string> {
  return (await findPlatformSettings(db)).productName ?? PRODUCT_NAME
}

/** Null deletes a setting. Returns the settings in force afterwards. */
export async function updatePlatformSettings(
  tx: Tx,
  changes: PlatformChanges,
  nowMs: number,
): Promise<PlatformSettings> {
  const { productName, supportUrl, announcement } = changes
  for (const [name, value] of Object.entries({ productName, supportUrl, announcement }))
    if (value !== undefined) await savePlatformSetting(tx, name as keyof PlatformSettings, value, nowMs)
  return findPlatformSettings(tx)
}

function providerOf({ provider, policy }: PublicContext) {
  return { label: policy.label, mode: provider.mode }
}

const getConfig = publicOperation({
  id: 'getConfig',
  methods: ['GET'],
  path: '/config',
  scope: 'public',
  tag,
  summary: 'Read the configuration that the pages need',
  result: Config,
  async handler(context) {
    const { policy, database } = context
    const {
      productName = PRODUCT_NAME,
      supportUrl = null,
      announcement = null,
    } = await findPlatformSettings(database.read)
    return {
      productName,
      supportUrl,
      announcement,
      guestEnabled: policy.guestEnabled,
      guestRooms: policy.guestRooms,
      provider: providerOf(context),
      voice: policy.voice.mode,
      retention: { usual: policy.retention.days ?? 'forever', maxDays: policy.retention.maxDays },
      pushKey: context.pusher.publicKey,
      demo: policy.demo,
      version: VERSION,
    }
  },
})

const getAuthConfig = publicOperation({
  id: 'getAuthConfig',
  methods: ['GET'],
  path: '/auth/config',
  scope: 'public',
  tag,
  summary: 'List the ways to sign in',
  result: AuthConfig,
  handler: async (context) => ({
    provider: providerOf(context),
    guestEnabled: context.policy.guestEnabled,
  }),
})

const discover = publicOperation({
  id: 'discover',
  methods: ['GET'],
  path: '/discover',
  scope: 'public',
  tag,
  summary: 'Read the URLs of this instance, for clients that know only its name',
  result: Discovery,
  async handler({ policy, provider }) {
    const { canonicalOrigin } = policy
    return {
      apiUrl: `${canonicalOrigin}/api`,
      wsUrl: `${canonicalOrigin.replace(/^http/, 'ws')}/api/ws`,
      voice: policy.voice.mode,
      version: VERSION,
      guestEnabled: policy.guestEnabled,
      authProvider: provider.mode,
      providerName: policy.label,
    }
  },
})

export const platformOperations = [getConfig, getAuthConfig, discover]
