import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import { Client } from 'pg'
import { type OwnPostgres, startOwnPostgres } from '../apps/links/test/durability/own-postgres.ts'
import { MissingProgram } from './proof.ts'

const NODES = [0, 1] as const
const ENDS_WITHIN_MS = 30_000

/** A PostgreSQL server of its own, on which each node has a user of its own. */
export interface SharedPostgres extends SharedDatabase {
  server: OwnPostgres
  /** Resolves when no transaction of any node is under way. */
  waitUntilIdle(): Promise<void>
}

/** Gives `work` a database that two nodes share. Throws `MissingProgram` without an installation of PostgreSQL. */
export async function withPostgres<Result>(
  work: (shared: SharedPostgres) => Promise<Result>,
): Promise<Result> {
  const server = await startOwnPostgres()
  if (!server) throw new MissingProgram('PostgreSQL is not installed')
  try {
    for (const node of NODES) await query(server.url, `create role ${userOf(node)} superuser login`)
    const urlOf = (node: number) => {
      const url = new URL(server.url)
      url.username = userOf(node)
      return url.href
    }
    return await work({
      server,
      urls: [urlOf(0), urlOf(1)],
      checkedUrl: server.url,
      waitForEndOf: (node) => waitForNone(server.url, `usename = '${userOf(node)}'`),
      waitUntilIdle: () => waitForNone(server.url, `usename like 'node_%' and state <> 'idle'`),
    })
  } finally {
    await server.close()
  }
}

function userOf(node: number): string {
  return `node_${node}`
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

async function waitForNone(url: string, sessions: string): Promise<void> {
  const deadline = performance.now() + ENDS_WITHIN_MS
  while ((await query(url, `select 1 from pg_stat_activity where ${sessions}`)).length > 0) {
    if (performance.now() > deadline) throw new Error(`Sessions do not end: ${sessions}`)
    await Bun.sleep(20)
  }
}
