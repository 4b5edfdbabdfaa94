import { expect, test } from 'bun:test'
import { checkOperationNames } from './operation-names.ts'

test('an operation with a variable other than its id is reported, with its line', () => {
  const source = [
    "export const getPlan = operation({ id: 'getPlan', path: '/plans/{id}' })",
    "const read = publicOperation({ id: 'getConfig' })",
    "const other = describe({ id: 'anything' })",
  ].join('\n')
  expect(checkOperationNames('a.ts', source)).toEqual(['2: read, not getConfig'])
})
