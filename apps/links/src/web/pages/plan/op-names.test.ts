import { expect, test } from 'bun:test'
import { plannableOperations } from '../../../plans/plannable.ts'
import { OP_NAMES } from './op-names.ts'

test('L29.5g: each operation of a plan has words', () => {
  expect(Object.keys(OP_NAMES).toSorted()).toEqual([...plannableOperations.keys()].toSorted())
})
