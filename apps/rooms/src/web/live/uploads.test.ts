import { expect, test } from 'bun:test'
import { CallError } from '@latchkey/web/call'
import type { RoomFile } from '../../files/schema.ts'
import { type Upload, Uploads } from './uploads.ts'

const MAX_BYTES = 1_000

/** Uploads whose requests end when the test says so. */
function createUploads(savedText = '', now = () => 0) {
  const requests: { name: string; signal: AbortSignal; end: (error?: Error) => void }[] = []
  const it = { saved: savedText, uploads: [] as readonly Upload[] }
  const uploads = new Uploads({
    savedText,
    now,
    onChange: (all, text) => Object.assign(it, { uploads: all, saved: text }),
    send: ({ name, size }, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        onProgress(0.5)
        const end = (error?: Error) => (error ? reject(error) : resolve(stored(name, size)))
        signal.addEventListener('abort', () => end(new CallError(0, 'offline')))
        requests.push({ name, signal, end })
      }),
  })
  const end = async (name: string, error?: Error) => {
    requests.findLast((request) => request.name === name)?.end(error)
    for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  }
  const states = () =>
    it.uploads.map(({ name, progress, file, error }) => [name, error ? 'failed' : file ? 'stored' : progress])
  const idOf = (name: string) => it.uploads.find((upload) => upload.name === name)?.id ?? ''
  return { it, uploads, requests, end, states, idOf }
}

function stored(name: string, bytes: number): RoomFile {
  const address = { url: `/api/files/${name}/${name}`, thumbnail: null }
  return { id: name, name, type: 'application/octet-stream', bytes, width: null, height: null, ...address }
}

const fileOf = (name: string, bytes = 10) => new File(['x'.repeat(bytes)], name)

test('R35.3c: two files are sent at once, the next when one of them is done, and all keep their order', async () => {
  const { uploads, requests, end, states } = createUploads()
  uploads.add([fileOf('a'), fileOf('b'), fileOf('c')], MAX_BYTES)
  expect(requests.map(({ name }) => name)).toEqual(['a', 'b'])
  await end('b')
  expect(requests.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(states()).toEqual([
    ['a', 0.5],
    ['b', 'stored'],
    ['c', 0.5],
  ])
  await end('c')
  await end('a')
  expect(uploads.take().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(states()).toEqual([])
})

test('R35.3: a file that is too large is not sent, and cannot be sent again', () => {
  const { uploads, requests, states, idOf } = createUploads()
  uploads.add([fileOf('large', MAX_BYTES + 1)], MAX_BYTES)
  uploads.retry(idOf('large'))
  expect([requests, states()]).toEqual([[], [['large', 'failed']]])
})

test('R35.3: a removed file is no longer sent, and the next one takes its place', async () => {
  const { uploads, requests, states, idOf } = createUploads()
  uploads.add([fileOf('a'), fileOf('b'), fileOf('c')], MAX_BYTES)
  uploads.remove(idOf('a'))
  for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  expect(requests.map(({ name, signal }) => [name, signal.aborted])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
  ])
  expect(states().map(([name]) => name)).toEqual(['b', 'c'])
})

test('R35.3: a file without an answer can be sent again', async () => {
  const { uploads, requests, end, states, idOf } = createUploads()
  uploads.add([fileOf('a')], MAX_BYTES)
  await end('a', new CallError(0, 'offline'))
  expect(states()).toEqual([['a', 'failed']])
  uploads.retry(idOf('a'))
  await end('a')
  expect([requests.length, states()]).toEqual([2, [['a', 'stored']]])
})

test('R35.3: stored files survive a reload, but not longer than the server keeps them', async () => {
  const first = createUploads()
  first.uploads.add([fileOf('a'), fileOf('b')], MAX_BYTES)
  await first.end('a')
  const after = (ms: number) =>
    new Uploads({ ...first, ...handlers, savedText: first.it.saved, now: () => ms })
  const handlers = { send: () => Promise.reject(new Error('sent')), onChange: () => {} }
  expect(after(1).uploads.map(({ name, file }) => [name, file?.id])).toEqual([['a', 'a']])
  expect(after(3_600_000).uploads).toEqual([])
})
