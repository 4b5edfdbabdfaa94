import { join } from 'node:path'
import { testTexts } from '@latchkey/web/testing/texts'
import { expect, test } from 'bun:test'
import { AUDIT_ACTIONS } from '../../audit/actions.ts'
import { failures } from '../../failures.ts'
import { LOGIN_ERRORS } from '../../login/provider.ts'
import { texts } from './index.ts'

testTexts(texts, join(import.meta.dirname, '..'))

const named = (area: string) =>
  Object.keys(texts.en)
    .filter((key) => key.startsWith(`${area}.`))
    .map((key) => key.slice(area.length + 1))

test('every code with which a request can end has its sentence, and there is none for others', () => {
  expect(named('error').toSorted()).toEqual(Object.keys(failures).toSorted())
})

test('R6.8 every code with which a login can fail has its sentence, and there is none for others', () => {
  expect(named('loginError').toSorted()).toEqual([...LOGIN_ERRORS, 'unknown'].toSorted())
})

test('R21.2 everything that is audited has its name, and there is none for others', () => {
  const ofActions = named('audit').filter((name) => name.includes('.') && !name.startsWith('type.'))
  expect(ofActions.toSorted()).toEqual([...AUDIT_ACTIONS].toSorted())
})
