import { join } from 'node:path'
import { CallError } from '@latchkey/web/call'
import { testTexts } from '@latchkey/web/testing/texts'
import { expect, test } from 'bun:test'
import { failures, literalTexts } from '../../failures.ts'
import { texts } from './index.ts'
import { wording } from './text.ts'

testTexts(texts, join(import.meta.dirname, '..'))

/** What no page can be told: it sends JSON, only to routes that exist, offers only what there is, and words a 401 itself. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...[
    failures.unauthorized,
    failures.api_keys_refused,
    failures.method_not_allowed,
    failures.content_type,
    failures.invalid_json,
    failures.invalid_input,
    // Told with a figure, which the QR dialog words.
    failures.qr_too_small,
  ].map(({ text }) => text),
  'accent must be one of: orange, red, green, blue, purple',
  'Scope must be one of: create, read, create,read',
  'filter_bots must be a boolean',
  'filter_self_referrers must be a boolean',
])

const told = (status: number, text: string) => wording.failureKey(new CallError(status, text)) ?? ''

test('L18.1 every sentence with which the server refuses something has words of ours', () => {
  const literals = [...literalTexts].map((text) => ({ status: 400, text }))
  const refusals = [...Object.values(failures), ...literals].filter(({ text }) => !UNTOLD.has(text))
  expect(refusals.filter(({ status, text }) => !(told(status, text) in texts.en))).toEqual([])
  expect(refusals.filter(({ status, text }) => told(status, text) === 'error.refused')).toEqual([])
})

test('what nobody worded is said by its status, never in words of the server', () => {
  for (const [status, key] of [
    [0, 'error.refused'],
    [400, 'error.refused'],
    [403, 'error.forbidden'],
    [404, 'error.gone'],
    [413, 'error.tooLarge'],
    [429, 'error.tooMany'],
    [500, 'error.internal'],
    [502, 'error.unavailable'],
    [503, 'error.unavailable'],
  ] as const) {
    expect([status, told(status, 'New words')]).toEqual([status, key])
    expect([status, told(status, '')]).toEqual([status, key])
  }
})
