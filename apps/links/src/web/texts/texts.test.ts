import { join } from 'node:path'
import { CallError } from '@latchkey/web/call'
import { testTexts } from '@latchkey/web/testing/texts'
import { expect, test } from 'bun:test'
import { failures, literalTexts } from '../../failures.ts'
import { texts } from './index.ts'
import { wording } from './text.ts'

testTexts(texts, join(import.meta.dirname, '..'))

/**
 * Refusals that pages cannot cause or do not display: they send JSON to existing routes, offer only
 * valid choices, and handle status 401 themselves.
 */
const EXCLUDED: ReadonlySet<string> = new Set([
  ...[
    failures.unauthorized,
    failures.api_keys_refused,
    failures.method_not_allowed,
    failures.content_type,
    failures.invalid_json,
    failures.invalid_input,
    // Contains a number. The QR code dialog has its own text.
    failures.qr_too_small,
  ].map(({ text }) => text),
  'accent must be one of: orange, red, green, blue, purple',
  'Scope must be one of: create, read, create,read',
  'filter_bots must be a boolean',
  'filter_self_referrers must be a boolean',
])

const keyFor = (status: number, text: string) => wording.failureKey(new CallError(status, text)) ?? ''

test('L18.1: every refusal of the server has a text', () => {
  const literals = [...literalTexts].map((text) => ({ status: 400, text }))
  const refusals = [...Object.values(failures), ...literals].filter(({ text }) => !EXCLUDED.has(text))
  expect(refusals.filter(({ status, text }) => !(keyFor(status, text) in texts.en))).toEqual([])
  expect(refusals.filter(({ status, text }) => keyFor(status, text) === 'error.refused')).toEqual([])
})

test('an unknown message gets a text by its status, never the words of the server', () => {
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
    expect([status, keyFor(status, 'New words')]).toEqual([status, key])
    expect([status, keyFor(status, '')]).toEqual([status, key])
  }
})
