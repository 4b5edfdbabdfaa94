import { expect, test } from 'bun:test'
import { fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { storeUpload } from './upload.ts'

const PIECE = 'x'.repeat(100_000)

async function* twice() {
  yield Buffer.from(PIECE)
  yield Buffer.from(PIECE)
}

test('an upload is stored whole, in a file without a name', async () => {
  const upload = await storeUpload(twice())
  const text = Buffer.alloc(300_000)
  const length = readSync(upload.fd, text, 0, text.length, 0)
  expect([upload.bytes, text.toString('utf8', 0, length)]).toEqual([200_000, PIECE + PIECE])
  const { nlink, mode } = fstatSync(upload.fd)
  expect([nlink, (mode & 0o777).toString(8)]).toEqual([0, '600'])
  await upload.close()
})

test('an upload that does not fit on the disk is refused, also if only a part of its last chunk fits', async () => {
  const script = `
    const { storeUpload } = require(${JSON.stringify(join(import.meta.dir, 'upload.ts'))})
    const once = (async function* () { yield Buffer.from('x'.repeat(100_000)) })()
    const result = await storeUpload(once).then(({ bytes }) => bytes, ({ code }) => code)
    console.log(result)`
  // The process may write files of at most 32 KiB: a full disk, simulated with a limit of the
  // shell.
  const limited = ['sh', '-c', `trap '' XFSZ; ulimit -f 64; exec "$0" -e "$1"`, process.execPath, script]
  const child = Bun.spawn(limited, { stdout: 'pipe' })
  expect((await new Response(child.stdout).text()).trim()).toBe('EFBIG')
})
