import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type TestUser, createRoom, makeMember, member, postFiles, uploadFile } from '../actions.ts'
import { bytesOf, picture } from '../files/images.ts'
import { ALICE } from '../provider/hostile.ts'
import { BOB, ROOT, isRefusal, roomPages } from './browser.ts'
import { field, lines, send } from './room-page.ts'

const pages = roomPages({
  settings: { guestFiles: 'images' },
  limits: { file_bytes: 2_000_000, files_per_message: 3 },
})

let host: TestUser
let roomId: string
let image: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  roomId = await aliceRoom()
  image = await bytesOf(picture({ width: 1600, height: 900 }).png())
}, 60_000)

async function aliceRoom(): Promise<string> {
  const { id: aliceId } = await pages.signIn(ALICE)
  const { id } = await createRoom(host, { name: 'Garden' })
  await makeMember(pages.service(), id, { user: { id: aliceId } }, 'speaker')
  return id
}

const attachments = (page: Page) =>
  page.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem')
const choose = (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.locator('input[type=file]').setInputFiles(files)
const textFile = (name: string, bytes = 40) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(bytes, 'a'),
})
const pngFile = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(image) })

test('R35.3c: chosen files go out with the message, in its order, and others see, open and download them', async () => {
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${roomId}`)
  const bob = await pages.openAs(BOB, `/rooms/${roomId}`)
  await field(bob.page).waitFor()
  await choose(page, [pngFile('garden.png'), textFile('plan.txt')])
  await attachments(page).nth(1).waitFor()
  await page.locator('.attachment img').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'attachments')
  await send(page, 'The plan')
  await attachments(page).first().waitFor({ state: 'detached' })
  const message = lines(bob.page).filter({ hasText: 'The plan' })
  await message.getByRole('button', { name: 'Open garden.png' }).click()
  const viewer = bob.page.getByRole('dialog', { name: 'garden.png' })
  await viewer.getByRole('img', { name: 'garden.png' }).waitFor()
  await expectAccessible(bob.page)
  await screenshot(bob.page, 'image-viewer')
  await bob.page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  await message.getByRole('link', { name: 'Download plan.txt 40 bytes' }).waitFor()
  const download = bob.page.waitForEvent('download')
  await message.getByRole('link', { name: /^Download plan/ }).click()
  expect((await download).suggestedFilename()).toBe('plan.txt')
  await screenshot(bob.page, 'files')
  expect([errors, bob.errors]).toEqual([[], []])
}, 60_000)

test('R31.4f: members may send as a file what is refused as an image, and guests may not', async () => {
  const photo = {
    name: 'IMG_1.heic',
    mimeType: 'image/heic',
    buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
  }
  const { id } = await createRoom(host, { name: 'Pictures', allowGuests: true })
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const guest = await pages.open(`/rooms/${id}`)
  await guest.page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await guest.page.keyboard.press('Enter')
  const asFile = (of: Page) => attachments(of).getByRole('button', { name: 'Send as a file' })
  for (const each of [page, guest.page]) {
    await field(each).waitFor()
    await choose(each, [photo])
    await attachments(each).getByText('This kind of file isn’t accepted.').waitFor()
  }
  expect(await asFile(guest.page).count()).toBe(0)
  await asFile(page).click()
  await attachments(page).locator('progress, [role=alert]').waitFor({ state: 'detached' })
  await send(page, 'The photo')
  await lines(page)
    .getByRole('link', { name: /^Download IMG_1\.heic/ })
    .waitFor()
  await guest.page.context().close()
}, 60_000)

test('R31.4g: a message with an image has its height before the image arrives', async () => {
  const { id: own } = await createRoom(host, { name: 'Album' })
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${own}`)
  await field(page).waitFor()
  const arrival = Promise.withResolvers<void>()
  await page.route('**/thumbnail', async (route) => {
    await arrival.promise
    await route.continue()
  })
  const { id } = await uploadFile(host, own, image, 'wide.png')
  await postFiles(host, own, [id])
  const place = page.getByRole('button', { name: 'Open wide.png' })
  await place.waitFor()
  const before = await place.boundingBox()
  expect([before?.width, before?.height]).toEqual([400, 225])
  arrival.resolve()
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('.file-image img')?.naturalWidth === 640,
  )
  expect(await place.boundingBox()).toEqual(before)
  expect(errors).toEqual([])
}, 60_000)

test('R35.3c: a pasted screenshot and dropped files are attached, and an empty text is enough to send them', async () => {
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${roomId}`)
  await field(page).focus()
  const put = (type: 'paste' | 'drop', name: string) =>
    page.evaluate(
      ({ type: kind, name: fileName, content }) => {
        const data = new DataTransfer()
        data.items.add(new File([new Uint8Array(content)], fileName, { type: 'image/png' }))
        const target = document.querySelector('#write')
        if (kind === 'paste')
          target?.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
          )
        else
          for (const each of ['dragenter', 'dragover', 'drop'])
            target?.dispatchEvent(
              new DragEvent(each, { dataTransfer: data, bubbles: true, cancelable: true }),
            )
      },
      { type, name, content: [...image] },
    )
  await put('paste', 'screenshot.png')
  await put('drop', 'dropped.png')
  await page.locator('.attachment img').nth(1).waitFor()
  expect(await page.locator('.drop-area').count()).toBe(0)
  await field(page).press('Enter')
  const message = lines(page).filter({ has: page.getByRole('button', { name: 'Open screenshot.png' }) })
  await message.getByRole('button', { name: 'Open dropped.png' }).click()
  await page.getByRole('dialog').getByText('2 of 2').waitFor()
  await page.getByRole('dialog').locator(':focus').waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('dialog', { name: 'screenshot.png' }).getByText('1 of 2').waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R35.3: files that are too large or too many are refused in a sentence, and do not go out', async () => {
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${roomId}`)
  await field(page).waitFor()
  await choose(page, [
    textFile('large.txt', 2_000_001),
    textFile('a.txt'),
    textFile('b.txt'),
    textFile('c.txt'),
  ])
  await page.getByText('A message can have up to 3 files.').waitFor()
  expect(await attachments(page).allInnerTexts()).toEqual([
    'large.txt\nLarger than 1.9 MB',
    'a.txt\n40 bytes',
    'b.txt\n40 bytes',
  ])
  await send(page, 'Not yet')
  await page.getByText('Retry or remove the files that couldn’t be uploaded.').waitFor()
  expect(await lines(page).filter({ hasText: 'Not yet' }).count()).toBe(0)
  await screenshot(page, 'attachments-refused')
  await page.getByRole('button', { name: 'Remove large.txt' }).click()
  await field(page).press('Enter')
  await lines(page)
    .filter({ hasText: 'Not yet' })
    .getByRole('link', { name: /b\.txt/ })
    .waitFor()
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('R35.3c: a message that is sent during an upload goes out when the upload is done, and an upload can be cancelled', async () => {
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${roomId}`)
  await field(page).waitFor()
  const arrival = Promise.withResolvers<void>()
  await page.route('**/api/rooms/*/files', async (route) => {
    await arrival.promise
    await route.continue().catch(() => undefined)
  })
  await choose(page, [textFile('slow.txt'), textFile('unwanted.txt')])
  await page.getByRole('progressbar', { name: 'Uploading slow.txt' }).waitFor()
  await send(page, 'Slowly')
  await page.getByText('Sends when the upload is done.').waitFor()
  await page.getByRole('button', { name: 'Remove unwanted.txt' }).click()
  expect(await lines(page).filter({ hasText: 'Slowly' }).count()).toBe(0)
  arrival.resolve()
  const message = lines(page).filter({ hasText: 'Slowly' })
  await message.getByRole('link', { name: /slow\.txt/ }).waitFor()
  expect(await message.getByRole('link', { name: /unwanted/ }).count()).toBe(0)
  expect(errors).toEqual([])
}, 60_000)

test('R31.3: messages with files look right and are accessible in all languages and sizes', async () => {
  const { id: own } = await createRoom(host, { name: 'Album' })
  const names = ['one.png', 'two.png', 'a very long name of a file that does not fit into one line.pdf']
  const files = await Promise.all(
    names.map((name) => uploadFile(host, own, name.endsWith('png') ? image : 'text', name)),
  )
  await postFiles(
    host,
    own,
    files.map(({ id }) => id),
    'Three files',
  )
  const { page } = await pages.openAs(ALICE, `/rooms/${own}`)
  await page.getByRole('button', { name: 'Open one.png' }).waitFor()
  await expectAccessibleViews(page, 'message-files')
}, 60_000)
