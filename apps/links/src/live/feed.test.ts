import { expect, test } from 'bun:test'
import { ChangeSubscription } from './feed.ts'

test('L16.8: a subscription ends at once, also while a change waits to be sent', async () => {
  let hasEnded = false
  const subscription = new ChangeSubscription(() => {
    hasEnded = true
  })
  subscription.add({ totals: true })
  expect(await subscription.next(10_000)).toMatchObject({ totals: true })
  // The next message may be sent a second after this one.
  subscription.add({ totals: true })
  const next = subscription.next(10_000)
  await Promise.resolve()
  subscription.end()
  // The event loop delivers what is there before a timer that expires, however late it is.
  const first = await Promise.race([next, Bun.sleep(500).then(() => 'a timer')])
  expect([first, hasEnded]).toEqual(['ended', true])
})
