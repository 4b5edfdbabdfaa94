import { afterAll, expect, test } from 'bun:test'
import {
  expectAccessible,
  expectAccessibleViews,
  expectWithinWidth,
  pressMenuItem,
  screenshot,
} from '@latchkey/web/testing/browser'
import { createBundle, createLink } from '../actions.ts'
import { until } from '../test-database.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages({ LINKS_WEBHOOK_ALLOW: '127.0.0.1' })
const receiver = new Receiver()
afterAll(() => receiver.stop())

const HOSTILE = '<img src=x onerror=alert(1)> \u202egnirts'

test('L30.5: a webhook is created with the keyboard, its secret shown once, tested, edited, rotated and deleted', async () => {
  await createBundle(admin, { name: 'Spring' }, [])
  const { page, errors } = await admin.open('/webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await screenshot(page, 'webhooks-none')
  await page.getByRole('button', { name: 'Create webhook' }).press('Enter')
  const dialog = page.getByRole('dialog')
  const url = dialog.getByRole('textbox', { name: 'Receiver URL' })
  await url.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('http://10.0.0.1/')
  await page.keyboard.press('Enter')
  await dialog.getByText('This is a private address.').waitFor()
  await url.fill(receiver.url)
  await dialog.getByRole('checkbox', { name: 'Link created' }).press('Space')
  await dialog.getByRole('checkbox', { name: 'Link deleted' }).press('Space')
  await dialog.getByRole('combobox', { name: 'Bundle' }).selectOption('Spring')
  await expectAccessibleViews(page, 'webhooks-dialog')
  await url.press('Enter')
  const secret = dialog.getByRole('textbox', { name: 'Signing secret' })
  await secret.waitFor()
  receiver.secrets = [await secret.inputValue()]
  expect(receiver.secrets[0]).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'Copy secret' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  expect(await secret.inputValue()).toBe(receiver.secrets[0] ?? '')
  await screenshot(page, 'webhooks-secret')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(receiver.secrets[0] ?? '')

  const menu = page.getByRole('button', { name: `Actions for ${receiver.url}` })
  const choose = async (name: string) => {
    // A dialog that has closed gives the focus back to the button.
    await dialog.waitFor({ state: 'detached' })
    await menu.press('Enter')
    await pressMenuItem(page, name)
  }
  receiver.answer = () => new Response(HOSTILE, { status: 503 })
  await choose('Send test')
  await page.getByText('Test failed: status 503').waitFor()
  receiver.answer = () => new Response(`${HOSTILE} ${'long '.repeat(400)}`)
  await choose('Send test')
  await page.getByText('Test delivered: status 200').waitFor()
  expect(receiver.received.map(({ type, signedBy }) => [type, signedBy])).toEqual([
    ['webhook.test', [0]],
    ['webhook.test', [0]],
  ])
  await page.getByRole('button', { name: `Show deliveries to ${receiver.url}` }).press('Enter')
  const failed = page.locator('.delivery').nth(1)
  await failed.getByRole('button', { name: /^503 Test/ }).press('Enter')
  await failed.getByText('status 503').waitFor()
  await failed.getByText(HOSTILE.slice(0, 20)).waitFor()
  await failed.getByText('"type": "webhook.test"').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  await expectAccessibleViews(page, 'webhooks-deliveries', [390])

  await choose('Rotate secret')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await secret.waitFor()
  expect(await secret.inputValue()).not.toBe(receiver.secrets[0] ?? '')
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await menu.and(page.locator(':focus')).waitFor()

  await choose('Edit')
  await dialog.getByRole('checkbox', { name: 'Link deleted' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Link created', { exact: true }).waitFor()
  await choose('Disable')
  await page.getByText('Webhook disabled').waitFor()
  await page.getByText('Disabled', { exact: true }).waitFor()
  await choose('Delete')
  await screenshot(page, 'webhooks-delete')
  await dialog.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
  expect(errors.filter((text) => !text.includes('400'))).toEqual([])
}, 120_000)

test('L30.5: a webhook that the service has disabled is reported on the dashboard and explained, in every language', async () => {
  const create = (url: string) => admin.call('POST', '/webhooks', { url })
  await create(`${receiver.url}/${'long'.repeat(60)}`)
  await create('https://failing.example/hook')
  await create('https://fine.example/hook')
  const database = admin.database()
  const failing = Math.floor(Date.now() / 1000) - 500_000
  database.run(
    `update webhook set failures = 12, failing_since = ${failing}, disabled_at = ${failing + 432_000} where url like '%long'`,
  )
  database.run(
    `update webhook set failures = 3, failing_since = ${failing}, next_attempt_at = ${failing + 600_000} where url like '%failing%'`,
  )
  database.close()
  const { page, errors } = await admin.open('/webhooks')
  await page.locator('ul.webhooks > li').nth(2).waitFor()
  expect(await page.getByRole('alert').count()).toBe(2)
  await expectAccessibleViews(page, 'webhooks-failing', [1280, 320])
  for (const lang of ['sv', 'id', null]) {
    await admin.call('PUT', '/settings', { lang })
    await page.reload()
    await page.locator('ul.webhooks > li').nth(2).waitFor()
    await expectWithinWidth(page)
  }
  expect(errors).toEqual([])
  await admin.visit(page, '/dashboard')
  await page.getByText('A webhook was disabled because').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'webhooks-dashboard')
  await page.getByRole('link', { name: 'Show webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
}, 120_000)

test('L48.4: a delivery opens to its request and the answer, is resent, and replayed from there', async () => {
  const received = receiver.received.length
  receiver.answer = () => new Response('{"stored":true}')
  const url = `${receiver.url}/replayed`
  await admin.call('POST', '/webhooks', { url })
  await createLink(admin, { url: 'https://example.com/replayed' })
  await receiver.waitFor(received + 1)
  const { page, errors } = await admin.open('/webhooks')
  await page.getByRole('button', { name: `Show deliveries to ${url}` }).click()
  // The outcome is stored after the receiver has answered.
  await page.getByRole('button', { name: 'Refresh' }).click()
  const rows = page.locator('.delivery')
  await rows
    .first()
    .getByRole('button', { name: /^200 Link created/ })
    .click()
  const open = rows.first()
  const seq = receiver.received.at(-1)?.seq
  await open.getByText(`"seq": ${seq}`).waitFor()
  await open.getByRole('group', { name: 'Body of the answer' }).getByText('"stored": true').waitFor()
  expect(await open.getByText('webhook-signature').count()).toBe(0)
  await open.getByText('6 headers').click()
  await open.getByText('webhook-signature').waitFor()
  await open.getByText(`evt_${seq}`).waitFor()
  await expectAccessibleViews(page, 'webhooks-events', [1280, 390])
  await open.getByRole('button', { name: 'Resend' }).press('Enter')
  await page.getByText('Delivered: status 200').waitFor()
  await rows.nth(1).waitFor()
  await page
    .getByRole('button', { name: `Replay from here: event ${seq}` })
    .first()
    .press('Enter')
  await page.getByText(`Events from ${seq} on are being sent again`).waitFor()
  await receiver.waitFor(received + 3)
  expect(receiver.received.slice(received).map((each) => each.seq)).toEqual([seq ?? 0, seq ?? 0, seq ?? 0])
  expect(errors).toEqual([])
}, 120_000)

test('L48.4: the notice of a failing webhook says what its receiver answered last', async () => {
  receiver.answer = () => new Response('Database is full', { status: 500 })
  const url = `${receiver.url}/failing-now`
  await admin.call('POST', '/webhooks', { url })
  const received = receiver.received.length
  await createLink(admin, { url: 'https://example.com/failing-now' })
  await receiver.waitFor(received + 1)
  await until('the failure is stored', async () => {
    const all = (await (await fetch(admin.at('/api/webhooks'))).json()) as {
      last_failure?: object
      url: string
    }[]
    return all.some((each) => each.url === url && each.last_failure !== undefined)
  })
  const { page, errors } = await admin.open('/webhooks')
  const notice = page.locator('ul.webhooks > li', { hasText: '/failing-now' }).getByRole('alert')
  await notice.getByText('Last error: status 500').waitFor()
  await notice.getByText('Database is full').waitFor()
  await expectAccessibleViews(page, 'webhooks-failing-now', [390])
  expect(errors).toEqual([])
}, 120_000)
