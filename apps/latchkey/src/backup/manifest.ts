import { z } from 'zod'
import { InvalidBackup } from './tar.ts'

export const SERVICES = ['links', 'rooms'] as const
export type ServiceName = (typeof SERVICES)[number]

const FORMAT = 'latchkey-backup'
const FORMAT_VERSION = 1

/** The first entry of an archive. A backup that was interrupted continues only with an equal one. */
export const HEAD = 'latchkey-backup.json'
/** The last entry but one. */
export const MANIFEST = 'manifest.json'
/** The last entry: the hashes of all others in their order, as `sha256sum --check` reads them. */
export const SUMS = 'SHA256SUMS'
/** Both entries are read into memory. */
export const MAX_JSON_BYTES = 1024 ** 2

const Head = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  /** Version of the program. */
  latchkey: z.string(),
  services: z.array(z.object({ name: z.enum(SERVICES), engine: z.enum(['sqlite', 'postgres']) })).min(1),
})
export type Head = z.output<typeof Head>

/** The columns are those of the entry with the rows, where the archive has one. */
const Table = z.object({ rows: z.int().min(0), columns: z.array(z.string()).default([]) })
const ServiceManifest = z.object({
  name: z.enum(SERVICES),
  engine: z.enum(['sqlite', 'postgres']),
  /** Names of the applied migrations, in their order. */
  migrations: z.array(z.string()),
  tables: z.record(z.string(), Table),
  /** The last numbers of sequences that were used, on PostgreSQL. */
  sequences: z.record(z.string(), z.int()).default({}),
  /** The contents of files in the archive: those that the storage had lost are not among them. */
  files: z
    .object({
      count: z.int().min(0),
      bytes: z.int().min(0),
      lost: z.int().min(0),
      /** Keys of contents that no file used any more when the database was copied. */
      unused: z.array(z.string()),
    })
    .optional(),
})
export type ServiceManifest = z.output<typeof ServiceManifest>

const Manifest = z.object({
  /** When the databases were copied, in Unix seconds. */
  created_at: z.int(),
  services: z.array(ServiceManifest).min(1),
  /** Names of the settings that were set, without their values. */
  settings: z.array(z.string()),
})
export type Manifest = z.output<typeof Manifest>

export function createHead(latchkey: string, services: Head['services']): Head {
  return { format: FORMAT, version: FORMAT_VERSION, latchkey, services }
}

/** Throws `InvalidBackup`. */
export function parseHead(text: string): Head {
  const head = Head.safeParse(parseJson(text))
  if (!head.success) throw new InvalidBackup('it is not a backup of Latchkey')
  const { version, latchkey } = head.data
  if (version !== FORMAT_VERSION)
    throw new InvalidBackup(
      `it is of format ${version} (made by Latchkey ${latchkey}), and this program reads format ${FORMAT_VERSION}`,
    )
  return head.data
}

/** Throws `InvalidBackup`. */
export function parseManifest(text: string): Manifest {
  const manifest = Manifest.safeParse(parseJson(text))
  if (!manifest.success) throw new InvalidBackup(`${MANIFEST} is damaged`)
  return manifest.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Name of the entry with the SQLite database of a service. */
export const databaseEntry = (service: ServiceName) => `${service}/${service}.db`

const TABLES = /^(links|rooms)\/tables\/([a-z_]{1,60})\.ndjson$/

/** Name of the entry with the rows of a PostgreSQL table, as lines of JSON. */
export const tableEntry = (service: ServiceName, table: string) => `${service}/tables/${table}.ndjson`

/** The service and table of an entry with rows. */
export function tableOfEntry(name: string): { service: string; table: string } | undefined {
  const [, service, table] = TABLES.exec(name) ?? []
  return service !== undefined && table !== undefined ? { service, table } : undefined
}

const CONTENT = /^rooms\/files\/([0-9a-f]{2})\/(\1[0-9a-f]{62}(?:-thumbnail)?)$/

/** Name of the entry with the content of a file: its path below the folder of ROOMS_FILES. */
export const contentEntry = (key: string) => `rooms/files/${key.slice(0, 2)}/${key}`

/** The key of the content that the entry has. */
export function contentKeyOf(name: string): string | undefined {
  return CONTENT.exec(name)?.[2]
}
