import { BLOCK_BYTES, END_OF_TAR, paddingOf } from '../../../apps/latchkey/src/backup/tar.ts'

const encoder = new TextEncoder()

/** A file or folder of an archive. */
export interface TarEntry {
  /** Without a slash at either end. */
  path: string
  /** Permission bits. */
  mode: number
  /** The id of its user and of its group, by default root. */
  owner?: number
  /** None of a folder. */
  content?: Uint8Array
}

/**
 * An archive (POSIX ustar) with the time 0, sorted by path: the same entries give the same bytes.
 * Throws if a path is too long for the format.
 */
export function tar(entries: readonly TarEntry[]): Uint8Array {
  const sorted = entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  const parts = sorted.flatMap((entry) => {
    const content = entry.content ?? new Uint8Array()
    return [header(entry), content, new Uint8Array(paddingOf(content.length))]
  })
  return Buffer.concat([...parts, END_OF_TAR])
}

function header({ path, mode, owner = 0, content }: TarEntry): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  const put = (at: number, length: number, text: string) => {
    const bytes = encoder.encode(text)
    if (bytes.length > length) throw new Error(`${path} does not fit into the header of a tar archive`)
    block.set(bytes, at)
  }
  const octal = (at: number, length: number, value: number) =>
    put(at, length, value.toString(8).padStart(length - 1, '0'))
  put(0, 100, content === undefined ? `${path}/` : path)
  octal(100, 8, mode)
  octal(108, 8, owner)
  octal(116, 8, owner)
  octal(124, 12, content?.length ?? 0)
  octal(136, 12, 0)
  put(156, 1, content === undefined ? '5' : '0')
  put(257, 8, 'ustar\x0000')
  // The checksum counts itself as spaces.
  block.fill(0x20, 148, 156)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  octal(148, 7, checksum)
  return block
}
