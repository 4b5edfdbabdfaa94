import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { eachDialect } from '@latchkey/database/testing'
import { beginDeletion, endDeletion } from '../../src/files/clean-up.ts'
import {
  type TestUser,
  createRoom,
  deleteMessage,
  deleteRoom,
  eraseAccount,
  makeMember,
  member,
  postFiles,
  readMessages,
  sendFile,
  succeed,
  uploadFile,
} from '../actions.ts'
import { search } from '../search/actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { filesIn, storedFiles } from './files.ts'
import { bytesOf, picture } from './images.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      limits: { rooms_per_hour: 100, files_per_hour: 1000, messages_per_10s: 1000 },
    })
  })
  // The tests take longer than a session lasts.
  beforeEach(async () => {
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  /** Runs all jobs, as they run within some minutes. */
  async function cleanUp(afterMs: number): Promise<void> {
    rooms.clock.ms += afterMs
    await rooms.rooms.jobs.runDue()
    await rooms.rooms.fileJobs.runDue()
  }
  const contents = () => rooms.rooms.database.read.selectFrom('file_contents').selectAll().execute()
  const stored = () => filesIn(rooms).length

  test('R31.1: an upload that no message gets within an hour is deleted, and one in a message is not', async () => {
    const { id } = await createRoom(owner)
    const [lost, sent] = [await uploadFile(owner, id, 'lost'), await uploadFile(owner, id, 'sent')]
    await postFiles(owner, id, [sent.id])
    await cleanUp(HOUR - 1)
    expect((await owner.browser.send(lost.url)).status).toBe(200)
    rooms.clock.ms += 1
    // Before the job has run, too.
    expect((await owner.browser.send(lost.url)).status).toBe(404)
    await cleanUp(11 * 60_000)
    expect((await storedFiles(rooms, id)).map((file) => file.id)).toEqual([sent.id])
    await cleanUp(3 * HOUR)
    expect([stored(), (await contents()).length]).toEqual([1, 1])
    expect(await (await owner.browser.send(sent.url)).text()).toBe('sent')
    await succeed(deleteRoom(owner, id))
    await cleanUp(3 * HOUR)
    expect([stored(), await contents()]).toEqual([0, []])
  })

  test('R31.5: a content is deleted with the last message that holds it, and its thumbnail with it', async () => {
    const { id } = await createRoom(owner)
    const image = await bytesOf(picture().png())
    const send = async () => postFiles(owner, id, [(await uploadFile(owner, id, image)).id])
    const [first, second] = [await send(), await send()]
    expect([stored(), (await contents()).length]).toEqual([2, 1])
    await succeed(deleteMessage(owner, id, first.id))
    expect(await storedFiles(rooms, id)).toHaveLength(1)
    await cleanUp(3 * HOUR)
    const [{ url } = { url: '' }] = second['files'] as { url: string }[]
    expect([stored(), (await owner.browser.send(url)).status]).toEqual([2, 200])
    await succeed(deleteMessage(owner, id, second.id))
    expect(await storedFiles(rooms, id)).toEqual([])
    await cleanUp(3 * HOUR)
    expect([stored(), await contents()]).toEqual([0, []])
  })

  test('R31.5: retention and the deletion of a room delete the files of their messages', async () => {
    const rest = await createRoom(owner, { retention: 7 })
    const gone = await createRoom(owner)
    for (const { id } of [rest, gone])
      await postFiles(owner, id, [(await uploadFile(owner, id, `in ${id}`)).id])
    await uploadFile(owner, gone.id, 'never sent')
    await succeed(deleteRoom(owner, gone.id))
    await cleanUp(3 * HOUR)
    expect([stored(), await storedFiles(rooms, gone.id)]).toEqual([1, []])
    await cleanUp(7 * DAY)
    await cleanUp(3 * HOUR)
    expect([stored(), await storedFiles(rooms, rest.id), await contents()]).toEqual([0, [], []])
  })

  test('R31.5: the erasure of a person deletes their files, and keeps equal files of others', async () => {
    const { id } = await createRoom(owner)
    const ada = await member(rooms, 'Ada')
    await makeMember(rooms, id, ada)
    const send = async (by: TestUser, content: string) =>
      postFiles(by, id, [(await uploadFile(by, id, content)).id], content)
    await send(owner, 'shared')
    await send(ada, 'shared')
    await send(ada, 'her own')
    await uploadFile(ada, id, 'never sent')
    expect((await eraseAccount(ada)).status).toBe(200)
    const files = (await readMessages(owner, id)).messages.map((message) => [
      message.userId,
      (message['files'] as unknown[]).length,
    ])
    expect(files).toEqual([
      [owner.user.id, 1],
      [null, 0],
      [null, 0],
    ])
    const page = await search(owner, { has: 'file', room: id })
    expect(page.results.map(({ message }) => message.userId)).toEqual([owner.user.id])
    await cleanUp(3 * HOUR)
    expect(stored()).toBe(1)
    await succeed(deleteRoom(owner, id))
    await cleanUp(3 * HOUR)
  })

  test('R31.2: a content that is being deleted is not used again, and one that was uploaded again is not deleted', async () => {
    const { id } = await createRoom(owner)
    const { database } = rooms.rooms
    const deleteAll = async () => {
      const message = await postFiles(owner, id, [(await uploadFile(owner, id, 'again')).id])
      await succeed(deleteMessage(owner, id, message.id))
    }
    await deleteAll()
    const begin = () => database.write((tx) => beginDeletion(tx, rooms.clock.ms))
    expect((await begin()).keys).toEqual([])
    rooms.clock.ms += 3 * HOUR
    // Uploaded again before the deletion begins: protected.
    const file = await uploadFile(owner, id, 'again')
    expect((await begin()).keys).toEqual([])
    const message = await postFiles(owner, id, [file.id])
    rooms.clock.ms += 3 * HOUR
    expect((await begin()).keys).toEqual([])
    await succeed(deleteMessage(owner, id, message.id))
    const beganMs = rooms.clock.ms
    const { keys } = await begin()
    expect(keys).toHaveLength(1)
    // No other node takes it, and an upload waits for the end of the deletion.
    expect((await begin()).keys).toEqual([])
    const waiting = sendFile(owner, id, 'again')
    await Bun.sleep(50)
    await database.write((tx) => endDeletion(tx, keys, beganMs))
    expect((await waiting).status).toBe(201)
    // The node that began is late: its end must not take the row of the new upload.
    await database.write((tx) => endDeletion(tx, keys, beganMs))
    expect((await contents()).length).toBe(1)
  })

  test('R31.2: while the storage cannot delete, contents stay marked, and are deleted once it can', async () => {
    const { id } = await createRoom(owner)
    const message = await postFiles(owner, id, [(await uploadFile(owner, id, 'stuck')).id])
    await succeed(deleteMessage(owner, id, message.id))
    const path = filesIn(rooms).find((each) =>
      each.includes(new Bun.CryptoHasher('sha256').update('stuck').digest('hex')),
    )
    const whole = `${rooms.filesFolder}/${path}`
    rmSync(whole)
    mkdirSync(`${whole}/in-the-way`, { recursive: true })
    await cleanUp(3 * HOUR)
    expect(
      rooms.logLines.some((line) => line.includes('job: failed') && line.includes('file-contents')),
    ).toBe(true)
    expect((await contents()).some(({ deleting_at }) => deleting_at !== null)).toBe(true)
    rmSync(whole, { recursive: true })
    await cleanUp(11 * 60_000)
    expect((await contents()).some(({ deleting_at }) => deleting_at !== null)).toBe(false)
  })
})
