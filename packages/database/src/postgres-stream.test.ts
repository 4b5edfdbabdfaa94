import dns from 'node:dns'
import { expect, test } from 'bun:test'
import { serveDns, withoutThreads } from '@latchkey/http/testing-lookups'
import { Client } from 'pg'
import { stream } from './postgres-stream.ts'

const server = process.env['LATCHKEY_TEST_POSTGRES']

/** The outcome of a connection to this host: the rows of a query, or the error. */
async function outcomeAt(hostname: string): Promise<unknown> {
  const url = new URL(server ?? '')
  url.hostname = hostname
  const client = new Client({ connectionString: url.href, stream })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query('select 1 as one')).rows
  } catch (error) {
    return (error as { code?: unknown }).code
  } finally {
    await client.end().catch(() => undefined)
  }
}

test.skipIf(!server)(
  'PostgreSQL is looked up and connected to without the threads that wait for the disk',
  async () => {
    const [systemServers, { server: own, close }] = [dns.getServers(), await serveDns()]
    dns.setServers([own])
    try {
      expect(await withoutThreads(() => outcomeAt('database.example'))).toEqual([{ one: 1 }])
    } finally {
      dns.setServers(systemServers)
      close()
    }
  },
)

test.skipIf(!server)('a host that DNS does not know is resolved by the system', async () => {
  expect(await outcomeAt('localhost')).toEqual([{ one: 1 }])
  expect(await outcomeAt('127.0.0.1')).toEqual([{ one: 1 }])
  expect(await outcomeAt('nowhere.invalid')).toBe('ENOTFOUND')
})
