import {
  HEAD,
  type Head,
  MANIFEST,
  MAX_JSON_BYTES,
  type Manifest,
  SUMS,
  type ServiceManifest,
  contentKeyOf,
  databaseEntry,
  parseHead,
  parseManifest,
  tableEntry,
  tableOfEntry,
} from './manifest.ts'
import { type ArchiveEntry, readEntries } from './read-entries.ts'
import { InvalidBackup } from './tar.ts'

export interface VerifiedArchive {
  readonly head: Head
  readonly manifest: Manifest
  readonly bytes: number
  /** All entries but the contents of files. */
  readonly entries: ReadonlyMap<string, VerifiedEntry>
}

/** Where an entry is in the archive, and the hash of its content. */
export interface VerifiedEntry {
  readonly start: number
  readonly bytes: number
  readonly sha256: string
}

/** Formats a line of `SHA256SUMS`. */
export function sumLine(sha256: string, name: string): string {
  return `${sha256}  ${name}\n`
}

/**
 * Reads a whole archive and compares every entry with its hash, and what is in it with its manifest.
 * Throws `InvalidBackup`. `onBytes` is called with the bytes that were read.
 */
export async function verifyArchive(
  source: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<VerifiedArchive> {
  const archive = new ArchiveCheck(onBytes)
  for await (const entry of readEntries(archive.count(source))) await archive.check(entry)
  return archive.finish()
}

class ArchiveCheck {
  readonly #onBytes: (bytes: number) => void
  readonly #entries = new Map<string, VerifiedEntry>()
  readonly #rows = new Map<string, number>()
  readonly #sums = new Bun.CryptoHasher('sha256')
  readonly #files = { count: 0, bytes: 0 }
  #bytes = 0
  #head: Head | undefined
  #manifest: Manifest | undefined
  #isComplete = false

  constructor(onBytes: (bytes: number) => void) {
    this.#onBytes = onBytes
  }

  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      this.#bytes += piece.length
      this.#onBytes(this.#bytes)
      yield piece
    }
  }

  async check(entry: ArchiveEntry): Promise<void> {
    const { name } = entry
    if (this.#isComplete || this.#entries.has(name) || (this.#manifest && name !== SUMS))
      throw new InvalidBackup(`it has ${quote(name)} where it must not have it`)
    if (!this.#head) return this.#readHead(entry)
    if (name === MANIFEST) return this.#readManifest(entry)
    if (name === SUMS) return this.#compareSums(entry)
    const key = contentKeyOf(name)
    if (key !== undefined) return this.#readContent(entry, key)
    const isDatabase = this.#head.services.some((service) => databaseEntry(service.name) === name)
    if (!isDatabase && !tableOfEntry(name))
      throw new InvalidBackup(`it has ${quote(name)}, which no backup has`)
    await this.#readRows(entry)
  }

  finish(): VerifiedArchive {
    const [head, manifest] = [this.#head, this.#manifest]
    if (!head || !manifest || !this.#isComplete) throw new InvalidBackup('it is not complete')
    const made = new Set(manifest.services.map((service) => `${service.name} ${service.engine}`))
    if (made.size !== head.services.length || head.services.some((s) => !made.has(`${s.name} ${s.engine}`)))
      throw new InvalidBackup(`${MANIFEST} is damaged`)
    for (const service of manifest.services) this.#compare(service)
    const expected = manifest.services.flatMap(entriesOf).length + 2
    if (this.#entries.size !== expected) throw new InvalidBackup('it has an entry that its manifest lacks')
    return { head, manifest, bytes: this.#bytes, entries: this.#entries }
  }

  #compare(service: ServiceManifest): void {
    const missing = entriesOf(service).find((name) => !this.#entries.has(name))
    if (missing !== undefined) throw new InvalidBackup(`it lacks ${missing}`)
    if (service.engine === 'postgres')
      for (const [table, { rows }] of Object.entries(service.tables)) {
        const name = tableEntry(service.name, table)
        const counted = this.#rows.get(name)
        if (counted !== rows) throw new InvalidBackup(`${name} has ${counted} rows instead of ${rows}`)
      }
    const { count, bytes } = this.#files
    if (service.files && (service.files.count !== count || service.files.bytes !== bytes))
      throw new InvalidBackup(`it has ${count} files instead of ${service.files.count}`)
  }

  async #readHead(entry: ArchiveEntry): Promise<void> {
    if (entry.name !== HEAD) throw new InvalidBackup('it is not a backup of Latchkey')
    this.#head = parseHead(await this.#readText(entry))
  }

  async #readManifest(entry: ArchiveEntry): Promise<void> {
    this.#manifest = parseManifest(await this.#readText(entry))
  }

  async #readText(entry: ArchiveEntry): Promise<string> {
    if (entry.bytes > MAX_JSON_BYTES) throw new InvalidBackup(`${entry.name} is too large`)
    const pieces: Buffer[] = []
    this.#record(entry, await hashOf(entry, (piece) => pieces.push(piece)))
    return Buffer.concat(pieces).toString('utf8')
  }

  async #readContent(entry: ArchiveEntry, key: string): Promise<void> {
    const sha256 = await hashOf(entry)
    if (!key.includes('-') && sha256 !== key) throw new InvalidBackup(`${entry.name} is damaged`)
    this.#sums.update(sumLine(sha256, entry.name))
    this.#files.count++
    this.#files.bytes += entry.bytes
  }

  async #readRows(entry: ArchiveEntry): Promise<void> {
    let rows = 0
    const countRows = (piece: Buffer) => {
      for (let at = piece.indexOf(NEW_LINE); at >= 0; at = piece.indexOf(NEW_LINE, at + 1)) rows++
    }
    const isTable = tableOfEntry(entry.name) !== undefined
    this.#record(entry, await hashOf(entry, isTable ? countRows : undefined))
    this.#rows.set(entry.name, rows)
  }

  #record({ name, start, bytes }: ArchiveEntry, sha256: string): void {
    this.#entries.set(name, { start, bytes, sha256 })
    this.#sums.update(sumLine(sha256, name))
  }

  async #compareSums(entry: ArchiveEntry): Promise<void> {
    if (!this.#manifest) throw new InvalidBackup(`it has ${SUMS} where it must not have it`)
    const isEqual = (await hashOf(entry)) === this.#sums.digest('hex')
    if (!isEqual) throw new InvalidBackup(`an entry is damaged: its hash is not that of ${SUMS}`)
    this.#isComplete = true
  }
}

const NEW_LINE = 10

function entriesOf({ name, engine, tables }: ServiceManifest): string[] {
  if (engine === 'sqlite') return [databaseEntry(name)]
  return Object.keys(tables).map((table) => tableEntry(name, table))
}

async function hashOf({ content }: ArchiveEntry, use?: (piece: Buffer) => void): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of content) {
    hash.update(piece)
    use?.(piece)
  }
  return hash.digest('hex')
}

/** A name of an archive, which may hold anything, on one line. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
