import { expect, test } from 'bun:test'
import type { ImportFormat } from '../../../transfer/formats.ts'
import { readRows } from '../../../transfer/formats.ts'
import { CodedReason } from '../../../transfer/reason.ts'
import type { Translate } from '../../texts/text.ts'
import { reasonText } from './reason.ts'

const defaults = { owner: 'ann', ownedByFile: false, now: 0 }

/** Returns the reasons, as they are sent, of the first row that has some. */
async function firstReasons(format: ImportFormat, text: string): Promise<CodedReason[]> {
  const source = new Blob([text]).stream()
  for await (const read of readRows({ source, format }, defaults)) {
    const reasons = 'problem' in read ? [read.problem] : read.value.notes
    if (reasons.length > 0) return reasons.map((reason) => CodedReason.parse(reason))
  }
  throw new Error('No row has a reason')
}

const t: Translate = (key, values) => `<${[key, ...Object.values(values ?? {})].join(' ')}>`
const textOf = async (format: ImportFormat, text: string) =>
  reasonText(t, { reasons: await firstReasons(format, text) })

const csv = (row: string, columns = 'url,label,expires_at,created_by,tags') => `${columns}\n${row}\n`
const url = 'https://example.com/'

test('L18.1: every reason for an imported row has a text', async () => {
  expect(await textOf('csv', csv(`"${url}`, 'url'))).toBe('<transfer.reason.quote>')
  expect(await textOf('csv', csv(`"${url}a\nb"`, 'url'))).toBe('<transfer.reason.control url>')
  expect(await textOf('csv', csv(`${url},,,,${'x'.repeat(121)}`))).toBe('<transfer.reason.cut tags 120>')
  expect(await textOf('csv', csv(`${url},,soon,,`))).toBe('<transfer.reason.time expires_at>')
  expect(await textOf('csv', csv(`${url},,,"a\nb",`))).toBe('<transfer.reason.dropped created_by>')
  expect(await textOf('csv', 'u\0rl\n')).toBe('<transfer.reason.fileNotText>')
  expect(await textOf('ndjson', JSON.stringify({ url, label: '\0' }))).toBe('<transfer.reason.dropped label>')
  expect(await textOf('ndjson', JSON.stringify({ url, label: 5 }))).toBe('<transfer.reason.dropped label>')
  expect(await textOf('ndjson', JSON.stringify({ url, slugs: [{}] }))).toBe(
    '<transfer.reason.wrong slugs.0.slug>',
  )
  expect(await textOf('csv', csv(`"${'x'.repeat(3 * 1024 ** 2)}"`, 'url'))).toBe('<transfer.reason.tooLong>')
  expect(await textOf('ndjson', 'x'.repeat(17 * 1024 ** 2))).toBe('<transfer.reason.tooLong>')
  expect(await textOf('dub', `[{"url":"${'x'.repeat(3 * 1024 ** 2)}"}]`)).toBe('<transfer.reason.tooLong>')
  expect(await textOf('csv', `${Array.from({ length: 1_001 }, (_, at) => `c${at}`).join(',')}\n`)).toBe(
    '<transfer.reason.manyColumns 1000>',
  )
  const slugs = Array.from({ length: 5_001 }, (_, at) => `s-${at}`)
  expect(await textOf('ndjson', JSON.stringify({ url, custom_slugs: slugs }))).toBe(
    '<transfer.reason.manySlugs 5000>',
  )
  const deep = `[{"url":"${url}","key":"a","tags":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`
  expect(await textOf('dub', deep)).toBe('<transfer.reason.deep>')
  for (const format of ['dub', 'ndjson'] as const) {
    const values = `{"url":"${url}","key":"a","x":[${'0,'.repeat(60_000)}0]}`
    expect(await textOf(format, values)).toBe('<transfer.reason.tooMuch>')
  }
  expect(await textOf('csv', csv(`${url},,,,"${'a,'.repeat(1_001)}"`))).toBe(
    '<transfer.reason.cut tags 1000>',
  )
  for (const [kind, file] of [
    ['bookmarks', '<!DOCTYPE NETSCAPE-Bookmark-file-1>'],
    ['html', '<html>'],
    ['sql', '-- MySQL dump'],
    ['zip', 'PK\x03\x04'],
    ['sqlite', 'SQLite format 3\0'],
  ] as const)
    expect(await textOf('yourls', file)).toBe(`<transfer.reason.kind <transfer.reason.kind.${kind}>>`)
  expect(await textOf('dub', '[{"url":')).toBe('<transfer.reason.breaksOff>')
  expect(await textOf('shlink', '{"a":1}')).toBe('<transfer.reason.noEntries>')
})

test('L18.1: the text of a row names the omitted properties of its link, beside other reasons', async () => {
  const visits = `longUrl,shortCode,meta.validSince,meta.maxVisits\n${url},a,soon,5\n`
  expect(await textOf('shlink', visits)).toBe('<transfer.reason.omitted <transfer.reason.omitted.start>>')
  const rules = JSON.stringify({
    shortUrls: { data: [{ longUrl: url, shortCode: 'a', hasRedirectRules: true }] },
  })
  expect(await textOf('shlink', rules)).toBe('<transfer.reason.omitted <transfer.reason.omitted.rules>>')
  const targets = { url, key: 'a', ios: 'i', android: 'a', geo: 'g', expiredUrl: 'e' }
  expect(await textOf('dub', JSON.stringify([targets]))).toBe(
    `<transfer.reason.omitted ${['ios', 'android', 'country', 'expiry'].map((each) => `<transfer.reason.omitted.${each}>`).join(', ')}>`,
  )
  const reasons = [
    ...(await firstReasons('shlink', visits)),
    { code: 'auto_slug_changed', slug: 'a' } as const,
  ]
  expect(reasonText(t, { reasons })).toBe(
    '<transfer.reason.omitted <transfer.reason.omitted.start>>; <transfer.reason.autoTaken a>',
  )
})

test('L25.7: a reason without a text is shown in the words of the server, and none as nothing', () => {
  const reason = 'Invalid Record Length'
  expect(reasonText(t, { reason, reasons: [{ code: 'file_malformed' }] })).toBe(reason)
  expect(reasonText(t, {})).toBe('')
})

test('L25.7: an invalid slug and missing columns are quoted', async () => {
  expect(await textOf('dub', JSON.stringify([{ url, key: '_"a' }]))).toBe('<transfer.reason.badSlug "_\\"a">')
  expect(await textOf('dub', 'Destination URL,title\n')).toBe(
    '<transfer.reason.columns "Short link" / "key" Destination URL, title>',
  )
})
