import { Glob } from 'bun'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openDatabase } from './database.ts'
import { type Migration, migrate } from './migrate.ts'

/** SQLite files with the tables of a workspace, by its folder. */
const files = new Map<string, Promise<Uint8Array>>()
/** Names of PostgreSQL databases with the tables of a workspace, by its folder. */
const databases = new Map<string, Promise<string>>()

/**
 * Creates a SQLite file with the tables of the workspace whose tests run. Creates none in a workspace
 * without migrations.
 */
export async function createMigratedFile(path: string): Promise<void> {
  const folder = migrationsFolder()
  if (folder === undefined) return
  const template = files.get(folder) ?? buildFile(folder)
  files.set(folder, template)
  writeFileSync(path, await template, { mode: 0o600 })
}

async function buildFile(folder: string): Promise<Uint8Array> {
  const temporary = mkdtempSync(join(tmpdir(), 'latchkey-template-'))
  try {
    const path = join(temporary, 'template.db')
    await migrateAt(`sqlite:${path}`, folder)
    return readFileSync(path)
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/**
 * Returns the database from which PostgreSQL copies one with the tables of the workspace whose tests
 * run. All processes that test the same tables share it.
 */
export async function findTemplate(server: string): Promise<string> {
  const folder = migrationsFolder()
  if (folder === undefined) return 'template1'
  const template = databases.get(folder) ?? buildTemplate(server, folder)
  databases.set(folder, template)
  return template
}

async function buildTemplate(server: string, folder: string): Promise<string> {
  const name = `template_${await hashSources(folder)}`
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    // Others wait here while one process migrates.
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rows } = await client.query('select 1 from pg_database where datname = $1 and datistemplate', [
      name,
    ])
    if (rows.length > 0) return name
    // A process that was killed may have left half of it.
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    await migrateAt(databaseUrl(server, name), folder)
    await client.query(`alter database ${name} is_template true`)
    return name
  } finally {
    await client.end()
  }
}

/** Returns the URL of another database on the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

function migrationsFolder(): string | undefined {
  const workspace = /^.*\/(?:apps|packages)\/[^/]+\//.exec(Bun.main)?.[0]
  const folder = workspace && join(workspace, 'src/db')
  return folder && existsSync(join(folder, 'migrations.ts')) ? folder : undefined
}

async function hashSources(folder: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for (const name of [...new Glob('**/*.ts').scanSync(folder)].toSorted())
    hash.update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 32)
}

async function migrateAt(url: string, folder: string): Promise<void> {
  const { migrations } = (await import(join(folder, 'migrations.ts'))) as {
    migrations: Readonly<Record<string, Migration>>
  }
  const database = openDatabase<object>(url)
  await migrate(database, migrations)
  await database.close()
}
