import { join } from 'node:path'
import shared from '@latchkey/web/texts/en/shared'
import { loadTexts, testTexts } from '@latchkey/web/testing/texts'
import { expect, test } from 'bun:test'
import { AUDIT_ACTIONS } from '../../audit/actions.ts'
import { failures } from '../../api/failures.ts'
import { LOGIN_ERRORS } from '../../login/provider.ts'
import { adminTexts } from './admin.ts'
import { callTexts } from './call.ts'
import { loginTexts } from './login.ts'
import { texts as loaders } from './index.ts'
import { shortcutTexts } from './shortcuts.ts'

const texts = await loadTexts(loaders)
const folder = join(import.meta.dirname, '..')
testTexts(texts, folder)
testTexts(await loadTexts(callTexts), folder)
testTexts(await loadTexts(shortcutTexts), folder)
const login = await loadTexts(loginTexts)
testTexts(login, folder)
const admin = await loadTexts(adminTexts)
testTexts(admin, folder)

const namesIn = (area: string) =>
  Object.keys({ ...texts.en, ...login.en, ...admin.en })
    .filter((key) => key.startsWith(`${area}.`) && !Object.hasOwn(shared, key))
    .map((key) => key.slice(area.length + 1))

test('every error code of the API has a text, and there are no others', () => {
  expect(namesIn('error').toSorted()).toEqual(Object.keys(failures).toSorted())
})

test('R6.8: every error code of a failed login has a text, and there are no others', () => {
  expect(namesIn('loginError').toSorted()).toEqual([...LOGIN_ERRORS, 'unknown'].toSorted())
})

test('R21.2: every audited action has a name, and there are no others', () => {
  const ofActions = namesIn('audit').filter((name) => name.includes('.'))
  expect(ofActions.toSorted()).toEqual([...AUDIT_ACTIONS].toSorted())
})

test('R21.2: every audited action of a person has a sentence, and there are no others', () => {
  const ofService =
    /^(auth\.(login_failed|access_ended|backchannel_\w+)|provider\.changed|room\.member\.group_update)$/
  const ofPeople = AUDIT_ACTIONS.filter((action) => !ofService.test(action))
  expect(namesIn('did').toSorted()).toEqual(ofPeople.toSorted())
})

test('the actions that the service takes for a person have a sentence without an actor', () => {
  expect(namesIn('auto').toSorted()).toEqual([
    'auth.access_ended',
    'auth.backchannel_logout',
    'grant.add',
    'grant.remove',
    'room.member.group_update',
  ])
})
