import { z } from 'zod'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { IdParams } from '../api/fields.ts'
import { ApiKey, NewApiKey } from './schema.ts'
import { countKeys, deleteKey, insertKey, listKeys } from './store.ts'

/** Operations on the caller's own keys; admin side only (L17). */
export const keyOperations = [
  operation({
    id: 'listKeys',
    methods: ['GET'],
    path: '/keys',
    scope: 'admin',
    tag: 'API keys',
    summary: 'List your API keys',
    result: z.array(ApiKey),
    async handler({ database, identity }) {
      const keys = await listKeys(database.read, identity)
      return keys.map(({ identity: _, ...key }) => key)
    },
  }),
  operation({
    id: 'createKey',
    methods: ['POST'],
    path: '/keys',
    scope: 'admin',
    tag: 'API keys',
    summary: 'Create an API key, which is shown only once',
    body: NewApiKey,
    result: z.object({ key: ApiKey, raw_key: z.string() }),
    status: 201,
    failures: ['too_many_keys'],
    async handler({ database, identity, keysPerPerson, now }, { body }) {
      const { key, rawKey } = await database.write(async (tx) => {
        if ((await countKeys(tx, database.dialect, identity)) >= keysPerPerson) throw failure('too_many_keys')
        return insertKey(tx, { ...body, identity, now })
      })
      return { key, raw_key: rawKey }
    },
  }),
  operation({
    id: 'revokeKey',
    methods: ['DELETE'],
    path: '/keys/{id}',
    scope: 'admin',
    tag: 'API keys',
    summary: 'Revoke an API key; its next request fails',
    params: IdParams,
    result: z.object({ ok: z.literal(true) }),
    failures: ['key_not_found'],
    async handler({ database, identity }, { params }) {
      if (!(await database.write((tx) => deleteKey(tx, params.id, identity)))) throw failure('key_not_found')
      return { ok: true as const }
    },
  }),
]
