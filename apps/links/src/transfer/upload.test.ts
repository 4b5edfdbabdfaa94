import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { keepUpload } from './upload.ts'

const PIECE = 'x'.repeat(100_000)

async function* twice() {
  yield Buffer.from(PIECE)
  yield Buffer.from(PIECE)
}

test('an upload is kept whole, and gone when it is closed', async () => {
  const upload = await keepUpload(twice())
  expect([upload.bytes, await new Response(upload.source as never).text()]).toEqual([200_000, PIECE + PIECE])
  await upload.close()
  expect(await Bun.file(String(upload.source.path)).exists()).toBe(false)
})

test('an upload that does not fit on the disk is refused, also when a part of its last piece does', async () => {
  const script = `
    const { keepUpload } = require(${JSON.stringify(join(import.meta.dir, 'upload.ts'))})
    const once = (async function* () { yield Buffer.from('x'.repeat(100_000)) })()
    const told = await keepUpload(once).then(({ bytes }) => bytes, ({ code }) => code)
    console.log(told)`
  // The largest file that the process may write is 32 KiB: the disk of a shell's making.
  const limited = ['sh', '-c', `trap '' XFSZ; ulimit -f 64; exec "$0" -e "$1"`, process.execPath, script]
  const child = Bun.spawn(limited, { stdout: 'pipe' })
  expect((await new Response(child.stdout).text()).trim()).toBe('EFBIG')
})
