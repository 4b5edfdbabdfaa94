/** The unit of a tar file (POSIX.1-1988, ustar). */
export const BLOCK_BYTES = 512
/** Two empty blocks end a tar file. */
export const END_OF_TAR = Buffer.alloc(2 * BLOCK_BYTES)

export interface TarEntry {
  readonly name: string
  readonly bytes: number
}

/** The file is not a backup, or a part of it is missing or damaged. */
export class InvalidBackup extends Error {
  override readonly name = 'InvalidBackup'

  /** `problem` says what the archive is or has. */
  constructor(problem: string) {
    super(`The backup cannot be used: ${problem}`)
  }
}

/** Start and length of a field. */
const NAME = [0, 100] as const
const MODE = [100, 8] as const
const UID = [108, 8] as const
const GID = [116, 8] as const
const SIZE = [124, 12] as const
const MTIME = [136, 12] as const
const CHECKSUM = [148, 8] as const
const TYPE = 156
const MAGIC = [257, 8] as const

const REGULAR_FILE = '0'
const USTAR = 'ustar\u000000'
/** The largest number of a field of 11 octal digits: 8 GiB. */
const MAX_OCTAL = 0o77777777777

/**
 * The header of a regular file that only its owner can read. `mtime` is in Unix seconds. Names have
 * at most 100 bytes.
 */
export function tarHeader({ name, bytes }: TarEntry, mtime: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  if (Buffer.byteLength(name) > NAME[1]) throw new RangeError(`The name ${name} is too long`)
  block.write(name, NAME[0])
  writeOctal(block, MODE, 0o600)
  writeOctal(block, UID, 0)
  writeOctal(block, GID, 0)
  writeSize(block, bytes)
  writeOctal(block, MTIME, mtime)
  block.write(REGULAR_FILE, TYPE)
  block.write(USTAR, MAGIC[0])
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, CHECKSUM[0])
  return block
}

/**
 * Returns the entry of a header, or undefined for an empty block. Throws `InvalidBackup` for a header
 * that `tarHeader` does not write: none of its bytes may differ.
 */
export function readTarHeader(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const name = textOf(block, NAME)
  const [bytes, mtime] = [readSize(block), readOctal(block, MTIME)]
  const isFitting = bytes !== undefined && mtime !== undefined && Buffer.byteLength(name) <= NAME[1]
  if (!isFitting || !tarHeader({ name, bytes }, mtime).equals(block))
    throw new InvalidBackup('it is not a backup of Latchkey, or the header of an entry is damaged')
  return { name, bytes }
}

/** Number of bytes after a content of this size up to the next block. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES
}

function writeOctal(block: Buffer, [start, length]: readonly [number, number], value: number): void {
  block.write(value.toString(8).padStart(length - 1, '0'), start)
}

/** Sizes from 8 GiB on are binary, with the first bit set, as GNU tar and its successors have them. */
function writeSize(block: Buffer, bytes: number): void {
  if (bytes <= MAX_OCTAL) return writeOctal(block, SIZE, bytes)
  block[SIZE[0]] = 0x80
  block.writeBigUInt64BE(BigInt(bytes), SIZE[0] + 4)
}

function readSize(block: Buffer): number | undefined {
  if (block[SIZE[0]] !== 0x80) return readOctal(block, SIZE)
  const bytes = Number(block.readBigUInt64BE(SIZE[0] + 4))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

function readOctal(block: Buffer, field: readonly [number, number]): number | undefined {
  const digits = textOf(block, field).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}

function textOf(block: Buffer, [start, length]: readonly [number, number]): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

/** The sum of all bytes, with blanks in the place of the checksum. */
function checksumOf(block: Buffer): number {
  const [start, length] = CHECKSUM
  return block.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0)
}
