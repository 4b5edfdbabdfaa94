import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()
/** Thousands of rows take long on a busy machine. */
const SLOW = { timeout: 100_000 }
const HOSTILE = '<img src=x onerror=alert(1)>'

async function choose(page: Page, name: string, text: string): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.getByText(name).waitFor()
}

async function countLinks(search = ''): Promise<number> {
  const response = await fetch(admin.at(`/api/links?limit=1&search=${search}`))
  return Number(response.headers.get('x-total-count'))
}

/** Lets no one else write to the database until the returned function is called: an import stays as it is. */
function holdWrites(): () => void {
  const database = admin.database()
  database.run('begin immediate')
  return () => {
    database.run('rollback')
    database.close()
  }
}

const mixed = [
  'url,slug,label',
  'https://example.com/good,good-one,Good',
  'javascript:alert(1),bad-one,',
  'https://example.com/other,already-there,',
  `https://example.com/?q=${HOSTILE.replaceAll(',', '')},hostile,${HOSTILE}`,
  'https://example.com/there,already-there,',
  `https://example.com/${'x'.repeat(600)},${'s'.repeat(120)},`,
].join('\n')

test('L18: a preview states the outcome of each row and stores nothing, and the import has these outcomes', async () => {
  await admin.call('POST', '/links', { url: 'https://example.com/there', slug: 'already-there' })
  const { page, errors } = await admin.open('/import-export')
  expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  await choose(page, 'links.csv', mixed)
  await screenshot(page, 'transfer-chosen')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: 'Preview' }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Preview')
  expect(await countLinks()).toBe(1)
  await page.getByText('Slug “already-there” already redirects to https://example.com/there').waitFor()
  await page.getByText('Slug “already-there” already redirects to this URL').waitFor()
  await page.getByText('Enter a valid http or https URL.').waitFor()
  expect(await page.locator('td img').count()).toBe(0)
  await expectAccessibleViews(page, 'transfer-preview')

  await page.getByText('Conflicts 1').click()
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('button', { name: 'Import 3 links' }).click()
  await page.getByRole('heading', { name: 'Import finished' }).waitFor()
  await page.getByText('3 links imported.').waitFor()
  expect(await countLinks()).toBe(4)
  await screenshot(page, 'transfer-done')
  await expectAccessible(page)

  const waiting = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download report' }).click()
  const report = readFileSync(await (await waiting).path(), 'utf8').split('\r\n')
  expect(report.slice(0, 3)).toEqual([
    'line,result,slug,url,reason',
    '"2","imported","good-one","https://example.com/good",""',
    '"3","bad","","","url must use http or https"',
  ])
  expect(report[3]).toBe(
    '"4","conflict","already-there","https://example.com/other","slug ""already-there"" already redirects to https://example.com/there"',
  )
  expect(errors).toEqual([])
}, 60_000)

test('L18: a table with unknown columns is imported by choosing their fields, the conflict policy and bundles', async () => {
  await admin.call('POST', '/links', { url: 'https://example.com/before', slug: 'mapped' })
  const { page, errors } = await admin.open('/import-export')
  const rows = [
    'https://go.example/mapped;https://example.com/mapped;Åre;vinter|fjäll',
    'https://go.example/other;https://example.com/other;;vinter',
  ]
  await choose(page, 'table.csv', `\ufeff${['Kurz;Ziel;Name;Gruppe', ...rows].join('\r\n')}\r\n`)
  await page.getByText('Choose the column with the destinations.').waitFor()
  await page.getByRole('cell', { name: 'Gruppe vinter|fjäll vinter' }).waitFor()
  const preview = page.getByRole('button', { name: 'Preview' })
  expect(await preview.isDisabled()).toBe(true)
  const fieldOf = (name: string) => page.getByRole('combobox', { name: `“${name}” is imported as` })
  expect(await fieldOf('Name').inputValue()).toBe('label')
  await fieldOf('Ziel').selectOption('Destination')
  await fieldOf('Kurz').selectOption('Label')
  expect(await page.getByText('Already used for another column.').count()).toBe(2)
  expect(await preview.isDisabled()).toBe(true)
  await screenshot(page, 'transfer-columns-refused')
  await fieldOf('Kurz').selectOption('Slug')
  await fieldOf('Gruppe').selectOption('Tags')
  await page.getByText('Rename the slug').click()
  await page.getByText('Create a bundle for each tag').click()
  await expectAccessible(page)
  await screenshot(page, 'transfer-columns')
  await preview.click()
  await page.getByText('2 bundles will be created from tags.').waitFor()
  await page.getByText('Slug “mapped” is taken, so the link gets “mapped-2”').waitFor()
  expect(await countLinks('mapped-2')).toBe(0)
  await screenshot(page, 'transfer-columns-preview')
  await page.getByRole('button', { name: 'Change file or options' }).click()
  expect(await fieldOf('Ziel').inputValue()).toBe('url')
  await preview.click()
  await page.getByRole('button', { name: 'Import 2 links' }).click()
  await page.getByText('2 bundles created from tags.').waitFor()
  expect(await countLinks('mapped-2')).toBe(1)
  const bundles = (await (await fetch(admin.at('/api/bundles'))).json()) as {
    name: string
    link_count: number
  }[]
  expect(bundles.map(({ name, link_count }) => `${name} ${link_count}`).toSorted()).toEqual([
    'fjäll 1',
    'vinter 2',
  ])
  expect(errors).toEqual([])
}, 60_000)

test('thousands of links are imported with visible progress, and one of them is found afterwards', async () => {
  const rows = Array.from({ length: 6_000 }, (_, n) => `https://example.com/many/${n},many-${n},Number ${n}`)
  const { page, errors } = await admin.open('/import-export')
  await choose(page, 'many.csv', ['url,slug,label', ...rows].join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Next page' }).waitFor(SLOW)
  // Everything that the page showed during the import: every text and every state of the progress bar.
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    new MutationObserver(() => {
      const text = /[\d,]+ rows? processed/.exec(document.body.textContent ?? '')?.[0]
      const bar = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')
      if (text !== undefined) seen.push(`${text} ${Math.round(Number(bar))}`)
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })
  await page.getByRole('button', { name: 'Import 6,000 links' }).click(SLOW)
  await page.getByText(/rows? processed/).waitFor()
  await screenshot(page, 'transfer-running')
  await page.waitForFunction(() => new Set((globalThis as unknown as { seen: string[] }).seen).size > 2)
  await page.getByRole('link', { name: 'Bundles' }).click()
  await page.getByRole('heading', { name: 'Bundles', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Import and export' }).click()
  // A notice states it as well if the import ended on the other page.
  await page.locator('main').getByText('6,000 links imported.').waitFor(SLOW)
  await screenshot(page, 'transfer-many')

  await page.getByRole('link', { name: 'View links' }).click()
  await page.getByRole('textbox', { name: 'Search label, slug, URL or owner' }).fill('many-1654')
  await page.locator('td', { hasText: 'Number 1654' }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  expect(errors).toEqual([])
}, 240_000)

test('a stopped import keeps whole rows, states their number, and the next import adds only the others', async () => {
  const rows = Array.from({ length: 6_000 }, (_, n) => `https://example.com/stop/${n},stop-${n},`)
  const before = await countLinks()
  const { page } = await admin.open('/import-export')
  await choose(page, 'stop.csv', ['url,slug,label', ...rows].join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import 6,000 links' }).click(SLOW)
  await page.getByText(/rows? processed/).waitFor()
  const release = holdWrites()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Import stopped' }).waitFor()
  release()
  await screenshot(page, 'transfer-stopped')
  await page.getByRole('button', { name: 'Change file or options' }).click()
  await page.getByText('stop.csv').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: /^Import [\d,]+ links$/ }).click(SLOW)
  await page.getByRole('heading', { name: 'Import finished' }).waitFor(SLOW)
  expect(await countLinks()).toBe(before + 6_000)
}, 240_000)

test('a dropped file is chosen, and none of it is stored before the import', async () => {
  const { page, errors } = await admin.open('/import-export')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-dropped-'))
  const path = join(folder, 'dropped.csv')
  writeFileSync(path, 'Keyword,URL,Title\ndropped,https://example.com/dropped,Dropped\n')
  // Only the browser itself can drop a file, as from the file manager.
  const browser = await page.context().newCDPSession(page)
  const drop = async (name: string) => {
    const field = await page.getByText(name).boundingBox()
    const at = { x: (field?.x ?? 0) + 5, y: (field?.y ?? 0) + 5 }
    const data = { items: [], files: [path], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, ...at, data })
  }
  await drop('or drop it here')
  await page.getByRole('status').getByText('dropped.csv').waitFor()
  // The file is read after it is chosen.
  await page.getByText('Detected as YOURLS.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Format' }).inputValue()).toBe('yourls')
  expect(await countLinks('Dropped')).toBe(0)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import 1 link' }).click()
  await page.getByText('1 link imported.').waitFor()
  expect(await countLinks('Dropped')).toBe(1)
  expect(errors).toEqual([])
  rmSync(folder, { recursive: true })
}, 60_000)

test('the end of an import is reported on other pages, with a link back to it', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => `https://example.com/away/${n},away-${n},`)
  const { page, errors } = await admin.open('/import-export')
  await choose(page, 'away.csv', ['url,slug,label', ...rows].join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  const importButton = page.getByRole('button', { name: 'Import 1,000 links' })
  await importButton.waitFor(SLOW)
  // The import cannot end before the other page is open.
  const { promise: isElsewhere, resolve: send } = Promise.withResolvers<void>()
  await page.route('**/api/import*', async (route) => {
    await isElsewhere
    await route.continue()
  })
  await importButton.click()
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  send()
  const notice = page.getByRole('alert').filter({ hasText: 'Import finished' })
  await notice.getByText('1,000 links imported.').waitFor(SLOW)
  await expectAccessible(page)
  await screenshot(page, 'transfer-ended-elsewhere')
  await notice.getByRole('button', { name: 'View import' }).click()
  await page.getByRole('heading', { name: 'Import finished' }).waitFor()
  await notice.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
}, 240_000)

test('a stopped preview returns to the file, and nothing is stored', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `https://example.com/never/${n}`)
  const before = await countLinks()
  const { page } = await admin.open('/import-export')
  await choose(page, 'never.csv', ['url', ...rows].join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('never.csv').waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Import')
  expect(await countLinks()).toBe(before)
}, 60_000)

test('pasted text is imported in its detected format, and unusable text is explained', async () => {
  const { page } = await admin.open('/import-export')
  await page.getByText('Pasted text').click()
  const text = page.getByRole('textbox', { name: 'Links, in the format selected below' })
  await text.fill(
    'keyword,url,title,timestamp,ip,clicks\nold,https://example.com/old,Old,2024-01-02 03:04:05,1.2.3.4,17\n',
  )
  await page.getByText('Detected as YOURLS.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('The file has 17 clicks without times.').waitFor()
  await screenshot(page, 'transfer-yourls')
  await page.getByRole('button', { name: 'Change file or options' }).click()
  await text.fill('address\nhttps://example.com/x\n')
  await page.getByText('Choose the column with the destinations.').waitFor()
  expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  await page.getByRole('combobox', { name: 'Format' }).selectOption('kutt')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: 'Nothing to import' }).waitFor()
  await page.getByText('Missing column "target". The file has: address').waitFor()
  expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Change file or options' }).click()
  expect(await text.inputValue()).toBe('address\nhttps://example.com/x\n')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Can’t reach the service. Check your connection.').waitFor()
}, 60_000)

test('a file over 32 MiB is refused before it is sent', async () => {
  const { page } = await admin.open('/import-export')
  const path = join(mkdtempSync(join(tmpdir(), 'latchkey-large-')), 'large.csv')
  writeFileSync(path, `url\n${' '.repeat(32 * 1024 ** 2)}`)
  await page.locator('input[type=file]').setInputFiles(path)
  await page.getByText('The file is larger than 32 MiB. Split it, or use the command line.').waitFor()
  expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  rmSync(dirname(path), { recursive: true })
}, 60_000)

test('all links are exported in both formats', async () => {
  const { page } = await admin.open('/import-export')
  const count = await countLinks()
  for (const [name, extension, lines] of [
    ['Download NDJSON', 'ndjson', count],
    ['Download CSV', 'csv', count + 1],
  ] as const) {
    const waiting = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    const file = await waiting
    expect(file.suggestedFilename()).toMatch(new RegExp(`^latchkey-links-[\\d-]+\\.${extension}$`))
    expect(
      readFileSync(await file.path(), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(lines)
  }
}, 60_000)
