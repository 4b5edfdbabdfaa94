import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { guest } from '../actions.ts'
import type { Browser } from '../rooms.ts'
import { lossyBus } from './lossy-bus.ts'
import { closeNodes, twoNodes } from './nodes.ts'

eachDialect((dialect, newUrl) => {
  // Several nodes need PostgreSQL.
  if (dialect === 'sqlite') return
  test('R19.2: (2n) nodes count a limit together while the bus is up, and each on its own while it is down', async () => {
    const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
    const nodes = await twoNodes({ url: await newUrl(), limits: { guest_rename_per_minute: 4 } }, () =>
      bus.join(),
    )
    const { browser } = await guest(nodes[0].service)
    const elsewhere = nodes[1].service.browser()
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    const rename = async (by: Browser) =>
      (await by.send('/api/session', { method: 'PATCH', body: { nickname: 'Gunnar' } })).status
    expect([await rename(browser), await rename(elsewhere), await rename(browser)]).toEqual([200, 200, 200])
    expect([await rename(elsewhere), await rename(elsewhere), await rename(browser)]).toEqual([200, 429, 429])
    nodes[0].service.clock.ms += 60_000
    bus.loss.isPaused = true
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push(await rename(browser), await rename(elsewhere))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429, 429])
    await closeNodes(nodes)
  })
})
