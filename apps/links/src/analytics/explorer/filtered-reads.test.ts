import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { NOW, TestDatabase, click, closeAfterEach, messageOf, until } from '../../../test/test-database.ts'
import { openRecorder } from '../../counting/open-recorder.ts'
import { FilteredReads } from './filtered-reads.ts'

const { closeLater } = closeAfterEach()
const DAY = 86_400
const never = new AbortController().signal

eachDialect((_dialect, newUrl) => {
  /** A link with a click on each of these days before now. */
  async function open(days: number, idleMs?: number) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const recorder = closeLater(openRecorder(stored.url))
    const clicks = Array.from({ length: days }, (_, age) =>
      click(link, 'abcd', { clickedAt: NOW - age * DAY, country: 'SE' }),
    )
    await recorder.record(clicks)
    return closeLater(new FilteredReads(stored.url, idleMs))
  }
  const read = {
    query: { tz: 'UTC', country: ['SE'] },
    time: { range: '1y', tz: 'UTC', compare: undefined },
    now: NOW,
    filters: { bots: false, selfReferrers: false },
  } as const

  test('L14.13d: a read reports the clicks that it has read, and then its result', async () => {
    const reads = await open(5)
    const replies = await Array.fromAsync(reads.run('ann', never, structuredClone(read) as never))
    const progress = replies.flatMap((reply) => ('progress' in reply ? [reply.progress] : []))
    expect(progress).toEqual([1, 2, 3, 4, 5].map((clicks) => ({ clicks, of: 5 })))
    expect(replies.at(-1)).toMatchObject({ result: { filtered: true, totals: { clicks: 5 } } })
  })

  test('L14.13c: a fifth read of a person is refused, others and later ones are not', async () => {
    const reads = await open(3)
    const start = async (identity: string) => {
      const replies = reads.run(identity, never, read as never)
      await replies.next()
      return replies
    }
    const running = [await start('ann'), await start('ann'), await start('ann'), await start('ann')]
    expect(await messageOf(start('ann'))).toContain('Too many filtered statistics at once')
    const other = await start('ben')
    await running[0]?.return(undefined)
    running.push(await start('ann'))
    expect(await messageOf(start('ann'))).toContain('Too many filtered statistics at once')
    for (const replies of [...running, other]) await replies.return(undefined)
  })

  test('L14.13b: an aborted request stops its read and makes room for another', async () => {
    const reads = await open(300)
    const client = new AbortController()
    const replies = reads.run('ann', client.signal, read as never)
    await replies.next()
    client.abort()
    const seen: unknown[] = []
    const rest = (async () => {
      for await (const reply of replies) seen.push(reply)
    })()
    expect(await messageOf(rest)).toBe('The statistics were interrupted')
    expect(seen.filter((reply) => Object.hasOwn(reply as object, 'result'))).toEqual([])
    const later = await Array.fromAsync(reads.run('ann', never, read as never))
    expect(later.at(-1)).toMatchObject({ result: { totals: { clicks: 300 } } })
  })

  test('the thread ends after a while without reads, and starts again', async () => {
    const reads = await open(2, 1)
    expect(reads.isOpen).toBe(false)
    await Array.fromAsync(reads.run('ann', never, read as never))
    await until('the thread has ended', () => !reads.isOpen)
    const again = await Array.fromAsync(reads.run('ann', never, read as never))
    expect(again.at(-1)).toMatchObject({ result: { totals: { clicks: 2 } } })
  })
})
