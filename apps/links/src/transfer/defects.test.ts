import { expect, test } from 'bun:test'
import { csvRecord } from '@latchkey/http/csv'
import type { ImportFormat } from './formats.ts'
import { readRows } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import type { Reason } from './reason.ts'
import { fileOf } from './testing.ts'

const NOW = 1_795_000_000
const defaults = { owner: 'ann', now: NOW }

/** Where each format has a field, in its table and in its JSON. */
interface FormatFields {
  format: ImportFormat
  /** Fields that every row needs. */
  base: Record<string, string>
  label?: string
  created?: string
  /** Columns that decide whether the link is open. */
  state?: readonly string[]
  tags?: string
  clicks?: string
  password?: string
  /** Parts of a behaviour, and the note of one that is not valid. */
  behaviour?: Readonly<Record<string, string>>
  isTable?: boolean
  isJson?: boolean
}

const url = 'https://example.com/'
const OWN = {
  base: { url, slug: 'abc' },
  label: 'label',
  created: 'created_at',
  state: ['expires_at', 'disabled_at'],
  clicks: 'clicks',
  behaviour: { behaviour: 'field_dropped' },
}

const FORMATS: readonly FormatFields[] = [
  { format: 'csv', ...OWN, tags: 'tags', isTable: true },
  { format: 'shrtnr', ...OWN, isTable: true, isJson: true },
  { format: 'ndjson', ...OWN, isJson: true },
  {
    format: 'yourls',
    base: { url, keyword: 'abc' },
    label: 'title',
    created: 'timestamp',
    clicks: 'clicks',
    isTable: true,
    isJson: true,
  },
  {
    format: 'kutt',
    base: { target: url, address: 'abc' },
    label: 'description',
    created: 'created_at',
    state: ['expire_in'],
    clicks: 'visit_count',
    password: 'password',
    isTable: true,
    isJson: true,
  },
  {
    format: 'shlink',
    base: { longUrl: url, shortCode: 'abc' },
    label: 'title',
    created: 'dateCreated',
    tags: 'tags',
    clicks: 'visits',
    behaviour: { redirectRules: 'features_dropped' },
    isTable: true,
    isJson: true,
  },
  {
    format: 'bitly',
    base: { long_url: url, link: 'https://bit.ly/abc' },
    label: 'title',
    created: 'created_at',
    tags: 'tags',
    clicks: 'clicks',
    isTable: true,
    isJson: true,
  },
  {
    format: 'dub',
    base: { url, key: 'abc' },
    label: 'title',
    created: 'createdAt',
    state: ['expiresAt', 'disabledAt'],
    tags: 'tags',
    clicks: 'clicks',
    password: 'password',
    behaviour: { geo: 'features_dropped', ios: 'features_dropped', expiredUrl: 'features_dropped' },
    isTable: true,
    isJson: true,
  },
  {
    format: 'shortio',
    base: { originalURL: url, path: 'abc' },
    label: 'title',
    created: 'createdAt',
    state: ['expiresAt'],
    tags: 'tags',
    clicks: 'clicks',
    password: 'password',
    behaviour: {
      countries: 'features_dropped',
      clicksLimit: 'features_dropped',
      splitURL: 'features_dropped',
    },
    isTable: true,
    isJson: true,
  },
]

type Cells = Readonly<Record<string, unknown>>

async function readRow(format: ImportFormat, file: string | Uint8Array): Promise<ImportRow | Reason> {
  for await (const row of readRows({ source: fileOf(file, 65_536), format }, defaults))
    return 'problem' in row ? row.problem : row.value
  throw new Error('The file has no row')
}

/** Each file of the format with this entry, by the name of its form. */
function filesOf({ format, isTable, isJson }: FormatFields, entry: Cells): [form: string, file: string][] {
  const table = csvRecord(Object.keys(entry)) + csvRecord(Object.values(entry).map(String))
  const json = JSON.stringify(format === 'ndjson' ? entry : [entry])
  return [
    ...(isTable ? [['table', table] as [string, string]] : []),
    ...(isJson ? [['json', json] as [string, string]] : []),
  ]
}

function codesOf(row: ImportRow | Reason): string[] {
  return 'code' in row ? [`refused: ${row.code}`] : row.notes.map(({ code }) => code)
}

for (const fields of FORMATS) {
  const { format, base, label, created, state = [], tags, clicks, password, behaviour = {} } = fields
  const defects: [field: string, value: unknown, code: string | undefined][] = []
  if (label)
    defects.push(
      [label, 'x'.repeat(501), 'field_cut'],
      [label, '😀'.repeat(600), 'field_cut'],
      [label, 'a\0b', 'field_dropped'],
    )
  if (created)
    for (const value of [
      '0000-00-00 00:00:00',
      'yesterday',
      '01/02/2020',
      '-1',
      '9'.repeat(30),
      '1969-12-31',
    ])
      defects.push([created, value, 'field_dropped'])
  if (created)
    defects.push([created, '31 Jan 2020', undefined], [created, '0001-01-01T00:00:00Z', 'field_dropped'])
  for (const name of state) defects.push([name, '0000-00-00 00:00:00', undefined], [name, '', undefined])
  if (tags) {
    defects.push([tags, `ok|${'x'.repeat(121)}`, 'field_cut'], [tags, 'ok|a\0b', 'field_dropped'])
    defects.push([tags, 'a,'.repeat(1_001), 'field_cut'])
  }
  if (clicks) for (const value of ['many', '-5', '1.5']) defects.push([clicks, value, 'field_dropped'])
  if (password)
    for (const value of ['true', '1', `$2b$12$${'x'.repeat(53)}`, 'd41d8cd98f00b204e9800998ecf8427e'])
      defects.push([password, value, 'password_unknown'])
  for (const [name, code] of Object.entries(behaviour))
    for (const value of ['not valid', '[null]', '[1]']) defects.push([name, value, code])

  test(`L21.16, L21.17: a defect in an optional field of ${format} costs no row, and is noted`, async () => {
    for (const [field, value, code] of defects)
      for (const [form, file] of filesOf(fields, { ...base, [field]: value })) {
        const row = await readRow(format, file)
        const codes = codesOf(row)
        expect([form, field, String(value).slice(0, 40), codes]).toEqual([
          form,
          field,
          String(value).slice(0, 40),
          code === undefined ? [] : expect.arrayContaining([code]),
        ])
        expect('code' in row ? row : row.custom.map(({ slug }) => slug)).toEqual(['abc'])
      }
  })

  test(`L21.15: a defect in the address, the slug, the state or the expiry of ${format} refuses the row`, async () => {
    const [urlField = '', slugField = ''] = Object.keys(base)
    const bad: [string, unknown][] = [
      [urlField, 'javascript:alert(1)'],
      [urlField, ''],
      [slugField, format === 'bitly' ? 'https://bit.ly/_a' : 'a b'],
      ...state.map((name): [string, unknown] => [name, '01/02/2020']),
    ]
    for (const [field, value] of bad)
      for (const [form, file] of filesOf(fields, { ...base, [field]: value }))
        expect([form, field, codesOf(await readRow(format, file))]).toEqual([
          form,
          field,
          [
            expect.stringMatching(
              /^refused: (?:url_invalid|url_required|slug_invalid|slug_required|time_invalid)$/,
            ),
          ],
        ])
  })

  test(`L21.16: bytes that are not UTF-8 cost an entry of ${format} its label, and no other entry`, async () => {
    for (const [form, file] of filesOf(fields, { ...base, [label ?? '']: 'ö' })) {
      const row = await readRow(format, Buffer.from(file, 'latin1'))
      expect([form, codesOf(row), 'code' in row || row.label]).toEqual([form, ['field_dropped'], null])
    }
  })
}
