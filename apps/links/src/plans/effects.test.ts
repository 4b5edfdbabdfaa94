import { afterAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { openTestBundles } from '../../test/test-bundles.ts'
import type { Context } from '../api/context.ts'
import { applyStoredPlan } from './apply.ts'
import { storePlan } from './create.ts'

eachDialect((_dialect, newUrl) => {
  test('L29.3g: what is outside the transaction happens only for an applied plan', async () => {
    const bundles = await openTestBundles(await newUrl())
    afterAll(() => bundles.close())
    const effects: string[] = []
    const { slugSpace } = bundles.context
    const context: Context = {
      ...bundles.context,
      enqueueTitleFetch: (_linkId, url) => void effects.push(`title of ${url}`),
      slugSpace: {
        findLength: (...args) => slugSpace.findLength(...args),
        recordSlug: (slug) => void effects.push(slug),
      },
    }
    const url = 'https://example.com/untitled'
    const ops = [
      { operation: 'createLink', body: { url, slug: 'outside' } },
      { operation: 'createLink', body: { url: `${url}/labelled`, label: 'Labelled' } },
    ]
    const plan = await storePlan(context, { ops })
    expect(effects).toEqual([])
    await context.database.write((tx) => tx.updateTable('plan').set({ expires_at: 1 }).execute())
    const refused = await applyStoredPlan(context, plan.id).catch(String)
    expect(refused).toContain('The plan is not open')
    expect(effects).toEqual([])
    const { id } = await storePlan(context, { ops })
    await applyStoredPlan(context, id)
    expect(effects).toContain('outside')
    expect(effects.filter((effect) => effect.startsWith('title'))).toEqual([`title of ${url}`])
  })
})
