import { expect, test } from 'bun:test'
import { Failure } from '@latchkey/http/failure'
import { reasonOfFailure } from './import-row.ts'
import { CodedReason, findExcessReason, reasonCodes } from './reason.ts'

test('L25.7: codes of reasons are unique and in snake_case', () => {
  expect(new Set(reasonCodes).size).toBe(reasonCodes.length)
  expect(reasonCodes.filter((code) => !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(code))).toEqual([])
})

test('L25.7: a limit of an entry has the code of that limit', () => {
  expect(findExcessReason('[]')).toBeUndefined()
  expect(
    [' '.repeat(3e6), '['.repeat(40), ','.repeat(60_000)].map((text) => findExcessReason(text)?.code),
  ).toEqual(['too_long', 'too_deep', 'too_many_values'])
})

test('L25.7: a refusal without a field is an invalid field', () => {
  const failure = new Failure('invalid_request', { status: 400, text: 'request: is not valid' })
  expect(CodedReason.parse(reasonOfFailure(failure))).toEqual({ code: 'field_invalid', field: '' })
})
