import { join } from 'node:path'
import { CallError } from '@latchkey/web/call'
import { loadTexts, testTexts } from '@latchkey/web/testing/texts'
import { expect, test } from 'bun:test'
import { errorCodes } from '../../api/failures.ts'
import { behaviourTexts } from './behaviour.ts'
import { habitTexts } from './habits.ts'
import { texts as loaders } from './index.ts'
import { qrTexts } from './qr.ts'
import { wording } from './text.ts'
import { webhookTexts } from './webhooks.ts'

const texts = await loadTexts(loaders)
const folder = join(import.meta.dirname, '..')
testTexts(texts, folder)
testTexts(await loadTexts(behaviourTexts), folder)
testTexts(await loadTexts(habitTexts), folder)
testTexts(await loadTexts(qrTexts), folder)
testTexts(await loadTexts(webhookTexts), folder)

const keyOf = (status: number, code?: string) =>
  wording.failureKey(new CallError(status, 'Words of the server', code === undefined ? {} : { code }))

test('L18.1 L25.6: every error code of the API has a text in every language', () => {
  for (const code of errorCodes) {
    // A status that has no text of its own.
    const key = keyOf(418, code) ?? ''
    for (const language of Object.values(texts))
      expect([code, language]).toEqual([code, expect.objectContaining({ [key]: expect.stringMatching(/./) })])
  }
})

test('L25.6: the texts of different problems differ', () => {
  const general = errorCodes.filter((code) => keyOf(418, code) === 'error.refused')
  expect(general.toSorted()).toEqual([
    'accent_invalid',
    'idempotency_key_invalid',
    'idempotency_key_other_body',
    'idempotency_key_other_path',
    'idempotency_key_running',
    'invalid_json',
    'invalid_request',
    'method_not_allowed',
    'operation_not_plannable',
    'owner_unknown',
    'password_not_plannable',
    'program_unknown',
    'qr_too_small',
    'reference_unknown',
    'scope_invalid',
    'too_many_clicks_to_plan',
    'too_many_plans',
    'too_many_policies',
    'unknown_field',
    'unsupported_media_type',
  ])
})

test('L18.1: a refusal without a known code has the text of its status', () => {
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
    expect([status, keyOf(status)]).toEqual([status, key])
    expect([status, keyOf(status, 'a_new_code')]).toEqual([status, key])
    expect([status, keyOf(status, 'toString')]).toEqual([status, key])
  }
})
