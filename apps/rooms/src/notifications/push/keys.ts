import { generateKeyPairSync } from 'node:crypto'
import { seal, unseal } from '@latchkey/tokens/seal'
import type { Tx } from '../../db/tables.ts'
import { findState, instanceIdOf, saveState } from '../../platform/store.ts'

/** Keys by which push services recognise this instance (VAPID, RFC 8292), in base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

const STATE = 'push-keys'

/**
 * The keys of this instance, made at the first start. The private one is sealed with the client
 * secret. If that has changed, there are new keys, and browsers subscribe again.
 */
export async function pushKeysOf(tx: Tx, clientSecret: string | null, nowMs: number): Promise<PushKeys> {
  // A public client has no secret.
  const token = clientSecret ?? (await instanceIdOf(tx, nowMs))
  const existing = await findKeys(tx, token)
  if (existing) return existing
  const keys = generateKeys()
  const sealed = JSON.stringify({ ...keys, privateKey: seal(keys.privateKey, token, 'push-key') })
  // If nodes start together, the first one stores its keys, and the others read them.
  await tx
    .insertInto('platform_state')
    .values({ key: STATE, value: sealed, updated_at: nowMs })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const stored = await findKeys(tx, token)
  if (stored) return stored
  await saveState(tx, STATE, sealed, nowMs)
  await tx.deleteFrom('push_subscriptions').execute()
  return keys
}

/** A key pair on P-256. The public key is an uncompressed point: 4, x and y. */
function generateKeys(): PushKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d = '', x = '', y = '' } = privateKey.export({ format: 'jwk' })
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return { publicKey: Buffer.concat(point).toString('base64url'), privateKey: d }
}

/** Undefined as well for keys that were sealed with another secret. */
async function findKeys(tx: Tx, token: string): Promise<PushKeys | undefined> {
  const stored = await findState(tx, STATE)
  if (stored === undefined) return undefined
  const { publicKey, privateKey: sealed } = JSON.parse(stored) as PushKeys
  const privateKey = unseal(sealed, token, 'push-key')
  return privateKey === undefined ? undefined : { publicKey, privateKey }
}
