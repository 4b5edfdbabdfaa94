// The recipes of docs/rooms/providers.md, against providers that answer as the real ones do.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings, settingsWarnings } from '../../src/settings/settings.ts'
import type { Person } from '../provider/hostile.ts'
import { SHAPES, STRANGER, recipeOptions, recipeSettings, shaped } from '../provider/shapes.ts'
import { openRooms } from '../rooms.ts'
import { grantsOf } from './grant-steps.ts'
import { target } from './steps.ts'

const PAGE = readFileSync(join(import.meta.dir, '../../../../docs/rooms/providers.md'), 'utf8')
const RECIPES = [...PAGE.matchAll(/^```sh\n# (.+)$/gm)].map(([, name = '']) => name)

describe('R38.5: the settings of a recipe', () => {
  test('are accepted without a warning, name who may sign in, and leave out nothing', () => {
    expect(Object.keys(SHAPES).toSorted()).toEqual(RECIPES.toSorted())
    for (const [recipe, { outsider }] of Object.entries(SHAPES)) {
      const env = recipeSettings(recipe)
      const { conditions, clientSecret } = readSettings(env).provider
      expect([recipe, settingsWarnings(env)]).toEqual([recipe, []])
      expect([recipe, conditions.length > 0, clientSecret !== null]).toEqual([
        recipe,
        outsider !== undefined,
        true,
      ])
    }
  })

  for (const [recipe, { insider, outsider, hidesStrangers, grants, name }] of Object.entries(SHAPES))
    test(`of ${recipe} admit its people with their names and rights, and no one else`, async () => {
      const t = await openRooms(recipeOptions(recipe))
      const refuses = async (person: Person, code: string) => {
        expect(target(await t.browser().signIn(person))).toBe(`/login?error=${code}`)
        expect(await grantsOf(t)).toEqual({})
      }
      if (outsider) await refuses(shaped(outsider), 'access_not_granted')
      if (hidesStrangers) await refuses(shaped(STRANGER), 'provider_error')
      const browser = await t.signedInBrowser(shaped(insider))
      const { user } = await browser.json<{ user: { nickname: string } }>('/api/session')
      expect([user.nickname, Object.values(await grantsOf(t))]).toEqual([name, [[...grants]]])
      expect(t.logLines.join('')).not.toContain('can never match')
      await t.close()
    })
})
