// Sign-in at providers that answer as Zitadel, GitHub, Slack and Entra do, with their recipes.
import { describe, expect, test } from 'bun:test'
import { grantsOf } from '../login/grant-steps.ts'
import { SHAPES, recipeOptions, shaped } from '../provider/shapes.ts'
import { isRefusal, roomPages } from './browser.ts'

describe.each(['Zitadel', 'GitHub', 'Slack', 'Entra'])('R38.5: %s', (recipe) => {
  const shape = SHAPES[recipe]
  if (!shape?.outsider) throw new Error(`There is no shape of ${recipe}`)
  const { insider, outsider, name, grants } = shape
  const pages = roomPages(recipeOptions(recipe))

  test('refuses people of elsewhere with the reason, and signs its own in as the administrator', async () => {
    const { page, errors } = await pages.open('/login')
    const press = async (button: RegExp, person: typeof insider) => {
      pages.service().idp.person = shaped(person)
      await page.getByRole('link', { name: button }).click()
    }
    await press(/^Sign in with/, outsider)
    await page.waitForURL(/\?error=access_not_granted/)
    await page.getByRole('alert', { name: 'You’re not signed in' }).waitFor()
    expect(await grantsOf(pages.service())).toEqual({})
    await press(/^Use another account/, insider)
    await page.getByRole('button', { name: `Account of ${name}` }).waitFor()
    await page.getByRole('link', { name: 'Administration' }).click()
    await page.getByRole('tab', { name: 'Identity provider' }).waitFor()
    expect(Object.values(await grantsOf(pages.service()))).toEqual([[...grants]])
    expect(pages.service().idp.refusals).toEqual([])
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  }, 60_000)
})
