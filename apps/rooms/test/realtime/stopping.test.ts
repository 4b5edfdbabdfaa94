import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { freePort } from '@latchkey/http/free-port'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { type Running, startRooms } from '../../src/main.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { type HostileProvider, hostileProvider } from '../provider/hostile.ts'

let idp: HostileProvider
beforeAll(async () => {
  idp = await hostileProvider()
})
afterAll(() => idp.stop())

async function start(databaseUrl: string): Promise<Running> {
  const origin = `http://localhost:${await freePort()}`
  const settings = {
    AUTH_PROVIDER: 'oidc',
    OIDC_ISSUER: idp.issuer,
    AUTH_CLIENT_ID: 'rooms-client',
    ALLOWED_HOSTS: origin,
    ROOMS_PORT: new URL(origin).port,
    ROOMS_DATABASE_URL: databaseUrl,
  }
  return startRooms(readSettings(settings))
}

eachDialect((dialect, newUrl) => {
  if (dialect === 'postgres')
    test('R19.3: a node that stops is not ready from the first moment, and soon refuses connections, also while the database delays it', async () => {
      const url = await newUrl()
      const service = await start(url)
      const readiness = () =>
        fetch(`${service.url}/api/ready`, { keepalive: false }).then(
          ({ status }) => status,
          () => 'refused' as const,
        )
      expect(await readiness()).toBe(200)
      const database = openDatabase<Tables>(url)
      const stopped = await database.write(async (tx) => {
        // A node releases this when it stops.
        await sql`lock table presence_leases in access exclusive mode`.execute(tx)
        const stop = service.stop()
        const seen = new Set<unknown>()
        while (!seen.has('refused')) seen.add(await readiness())
        seen.delete(503)
        expect([...seen]).toEqual(['refused'])
        return { stop }
      })
      await stopped.stop
      await database.close()
    }, 20_000)
})
