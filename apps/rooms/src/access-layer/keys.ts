import { generateKeyPairSync } from 'node:crypto'
import { type Database, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@latchkey/http/duration'
import { createToken } from '@latchkey/tokens/opaque'
import { seal, unseal } from '@latchkey/tokens/seal'
import { type CryptoKey, type JWK, importJWK } from 'jose'
import type { AccessKeyRow, Db, Tables, Tx } from '../db/tables.ts'
import type { ProviderConfig } from '../identity/provider-config.ts'
import { findInstanceId, instanceIdOf } from '../platform/store.ts'

export const ALGORITHM = 'ES256'

/** Time for which a key is published before it signs: services may keep an older set as long. */
const LEAD_MS = DAY_MS
/** Time between two keys. */
const ROTATION_MS = 30 * DAY_MS
/** Time for which a key stays published after the next one signs. Assertions end much sooner. */
const RETIREMENT_MS = HOUR_MS
/** Age of the keys in memory at which a node reads them again. Far below `LEAD_MS`. */
const REREAD_MS = MINUTE_MS

/** Serialises the creation of keys. Any number that no other lock uses. */
const KEY_LOCK_KEY = 0x6163_6b79
const KID_BYTES = 16

type Rotating = Pick<AccessKeyRow, 'kid' | 'created_at'>

/** The key that signs: the newest that was published long enough, or else the oldest. */
export function signingKeyOf<Key extends Rotating>(keys: readonly Key[], nowMs: number): Key | undefined {
  const ascending = keys.toSorted((one, other) => one.created_at - other.created_at)
  return ascending.findLast(({ created_at }) => created_at <= nowMs - LEAD_MS) ?? ascending[0]
}

/** What private keys are sealed with. A public client has no secret. */
async function sealingTokenOf(tx: Tx, clientSecret: string | null, nowMs: number): Promise<string> {
  return clientSecret ?? (await instanceIdOf(tx, nowMs))
}

/**
 * Creates the first key, and the next one when that is due, and deletes those that verify nothing any
 * more. Keys that were sealed with an earlier client secret only stay published. Returns the sealing
 * token.
 */
export async function rotateKeys(
  dialect: DialectName,
  tx: Tx,
  clientSecret: string | null,
  nowMs: number,
): Promise<string> {
  await lockKey(dialect, tx, KEY_LOCK_KEY)
  const token = await sealingTokenOf(tx, clientSecret, nowMs)
  const keys = await listKeys(tx)
  const own = keys.filter((key) => openKey(key, token) !== undefined)
  const newest = own.at(-1)
  if (!newest || newest.created_at <= nowMs - (ROTATION_MS - LEAD_MS))
    await tx.insertInto('access_keys').values(createKey(token, nowMs)).execute()
  const signing = signingKeyOf(own, nowMs)
  if (signing && signing.created_at <= nowMs - LEAD_MS - RETIREMENT_MS)
    await tx.deleteFrom('access_keys').where('created_at', '<', signing.created_at).execute()
  return token
}

function createKey(token: string, nowMs: number): AccessKeyRow {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y, d } = privateKey.export({ format: 'jwk' })
  const kid = createToken('', KID_BYTES)
  const publicKey = { kty, crv, x, y, kid, alg: ALGORITHM, use: 'sig' }
  return {
    kid,
    public_key: JSON.stringify(publicKey),
    private_key_sealed: seal(JSON.stringify({ ...publicKey, d }), token, 'access-key'),
    created_at: nowMs,
  }
}

async function listKeys(db: Db): Promise<AccessKeyRow[]> {
  return db.selectFrom('access_keys').selectAll().orderBy('created_at').orderBy('kid').execute()
}

function openKey({ private_key_sealed: sealed }: AccessKeyRow, token: string): JWK | undefined {
  const text = unseal(sealed, token, 'access-key')
  return text === undefined ? undefined : (JSON.parse(text) as JWK)
}

/** The ids of the key that signs, and of the others that are published. Changes nothing. */
export async function describeKeys(
  db: Db,
  clientSecret: string | null,
  nowMs: number,
): Promise<{ signing: string | undefined; others: string[] }> {
  const token = clientSecret ?? (await findInstanceId(db)) ?? ''
  const keys = await listKeys(db)
  const own = keys.filter((key) => openKey(key, token) !== undefined)
  const signing = signingKeyOf(own, nowMs)?.kid
  return { signing, others: keys.map(({ kid }) => kid).filter((kid) => kid !== signing) }
}

/** Null unless Rooms is an access layer. */
export async function openAccessKeys({
  database,
  config: { accessConditions, clientSecret },
  now,
}: {
  database: Database<Tables>
  config: Pick<ProviderConfig, 'accessConditions' | 'clientSecret'>
  now: () => number
}): Promise<AccessKeys | null> {
  if (accessConditions === null) return null
  const token = await database.write((tx) => rotateKeys(database.dialect, tx, clientSecret, now()))
  return new AccessKeys({ database, token, now })
}

interface LoadedKeys {
  readonly published: readonly JWK[]
  readonly own: readonly (Rotating & { readonly privateKey: CryptoKey })[]
  readonly loadedMs: number
}

export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
}

/** The keys of the instance, which all nodes share. `now` returns milliseconds since 1970. */
export class AccessKeys {
  readonly #database: Database<Tables>
  readonly #token: string
  readonly #now: () => number
  #loaded: Promise<LoadedKeys> | undefined

  constructor({ database, token, now }: { database: Database<Tables>; token: string; now: () => number }) {
    this.#database = database
    this.#token = token
    this.#now = now
  }

  /** The public keys. */
  async published(): Promise<readonly JWK[]> {
    return (await this.#load()).published
  }

  async signing(): Promise<SigningKey> {
    const key = signingKeyOf((await this.#load()).own, this.#now())
    if (key === undefined) throw new TypeError('There is no key that signs assertions')
    return key
  }

  async #load(): Promise<LoadedKeys> {
    const loaded = await this.#loaded?.catch(() => undefined)
    if (loaded && Math.abs(this.#now() - loaded.loadedMs) < REREAD_MS) return loaded
    this.#loaded = this.#read()
    return this.#loaded
  }

  async #read(): Promise<LoadedKeys> {
    const rows = await listKeys(this.#database.read)
    const own = await Promise.all(
      rows.map(async (row) => {
        const jwk = openKey(row, this.#token)
        if (jwk === undefined) return []
        const privateKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey
        return [{ kid: row.kid, created_at: row.created_at, privateKey }]
      }),
    )
    return {
      published: rows.map(({ public_key }) => JSON.parse(public_key) as JWK),
      own: own.flat(),
      loadedMs: this.#now(),
    }
  }
}
