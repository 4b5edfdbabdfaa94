import { expect, test } from 'bun:test'
import { compareSettings, listSettings } from './known.ts'
import { integer } from './kinds.ts'
import type { Declaration } from './settings.ts'

const declare = (name: string, formerName?: string): Declaration<number> => ({
  name,
  kind: integer(0, 9),
  sentence: `The number of ${name}`,
  example: '1',
  ...(formerName !== undefined && { formerName }),
})

const earlier = listSettings({ port: declare('APP_PORT'), old: declare('APP_OLD') }, '1.2.0')

test('O4.3e: new, renamed and dropped settings are distinguished', () => {
  const host = declare('APP_HOST')
  const changed = compareSettings(earlier, { host, gate: declare('APP_GATE', 'APP_PORT') })
  expect(changed).toEqual({
    since: '1.2.0',
    added: [host],
    renamed: [{ from: 'APP_PORT', to: 'APP_GATE' }],
    dropped: ['APP_OLD'],
  })
})

test('O4.3e: a setting whose former name was not known is new, and equal settings have no change', () => {
  const gate = declare('APP_GATE', 'APP_DOOR')
  const port = declare('APP_PORT')
  expect(compareSettings(earlier, { gate, port, old: declare('APP_OLD') })).toEqual({
    since: '1.2.0',
    added: [gate],
    renamed: [],
    dropped: [],
  })
})
