import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { BOT, NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import { RollupJob } from '../rollups/index.ts'
import { DAY } from '../time/window.ts'
import { eraseDetails, forgetProgress } from './lean-clicks.ts'
import { openRecorder } from './open-recorder.ts'

const { closeLater } = closeAfterEach()

eachDialect((_dialect, newUrl) => {
  async function openWith(count: number) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const recorder = closeLater(openRecorder(stored.url))
    const record = (from: number, to: number) =>
      recorder.record(
        Array.from({ length: to - from }, (_, n) =>
          click(link, 'abcd', {
            clickedAt: NOW - 2 * DAY,
            referrer: `https://news.example/story/${from + n}`,
            ...(n % 2 ? {} : BOT),
          }),
        ),
      )
    await record(0, count)
    return { stored, record }
  }

  const details = (stored: TestDatabase) =>
    stored.rows<{ n: number }>(
      'select count(*) as n from click where user_agent is not null or referrer is not null',
    )
  const facts = (stored: TestDatabase) =>
    stored.rows('select id, referrer_host, channel, device_type, os, browser, is_bot from click order by id')

  test('L37.6 user agents and full referrers of earlier clicks are erased, and what was derived from them stays', async () => {
    const { stored } = await openWith(1_203)
    const before = await facts(stored)
    await eraseDetails(stored.database)
    expect(await details(stored)).toEqual([{ n: 0 }])
    expect(await facts(stored)).toEqual(before)
    expect(await stored.countClicks('abcd')).toEqual([1_203, 1_203, 1_203])
  })

  test('L37.6 full referrers are erased from rollups too', async () => {
    const { stored } = await openWith(150)
    const recorder = closeLater(openRecorder(stored.url))
    while (await recorder.closeHours(NOW));
    const rollUp = async () => {
      const job = new RollupJob(stored.database)
      while (await job.step(NOW));
    }
    const pages = () => stored.rows(`select 1 from click_sum where names like '%/story/%'`)
    await rollUp()
    expect((await pages()).length).toBeGreaterThan(0)
    await eraseDetails(stored.database)
    expect(await pages()).toEqual([])
    expect(await stored.rows('select 1 from click_block')).toEqual([])
    await rollUp()
    expect(await pages()).toEqual([])
    expect(
      (await stored.rows(`select 1 from click_sum where names like '%news.example%'`)).length,
    ).toBeGreaterThan(0)
  })

  test('clicks are read once, until clicks with details may have been stored again', async () => {
    const { stored, record } = await openWith(3)
    await eraseDetails(stored.database)
    await stored.database.write((tx) =>
      tx.updateTable('click').set({ user_agent: 'restored' }).where('id', '=', 1).execute(),
    )
    await record(3, 5)
    await eraseDetails(stored.database)
    expect(await details(stored)).toEqual([{ n: 1 }])
    await forgetProgress(stored.database)
    await eraseDetails(stored.database)
    expect(await details(stored)).toEqual([{ n: 0 }])
  })
})
