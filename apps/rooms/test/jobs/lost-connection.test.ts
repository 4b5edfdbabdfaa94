import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import type { Tables } from '../../src/db/tables.ts'
import { openRooms } from '../rooms.ts'

const MINUTE = 60_000

eachDialect((dialect, newUrl) => {
  // SQLite has no connection to lose.
  if (dialect === 'sqlite') return
  afterEach(() => mock.restore())

  test('a job whose database connection is silently lost is given up after a minute, and all others run', async () => {
    const url = await newUrl()
    const relay = await Relay.before(url)
    const rooms = await openRooms({ url: relay.through(url) })
    const beside = openDatabase<Tables>(url)
    try {
      const { jobs } = rooms.rooms
      await jobs.runDue()
      rooms.clock.ms += MINUTE
      relay.swallow(relay.connections)
      // The timeout is a minute, plus a second for a response on its way. It expires at once for the
      // first statement, whose connection is dead.
      const waits: number[] = []
      const isMinute = (ms?: number) => ms === MINUTE + 1000 && waits.push(ms) === 1
      const later = setTimeout
      const timer = (run: () => void, ms?: number) => later(run, isMinute(ms) ? 0 : ms)
      spyOn(globalThis, 'setTimeout').mockImplementation(timer as typeof setTimeout)
      rooms.logLines.length = 0
      await jobs.runDue()
      mock.restore()
      const failed = rooms.logLines.map((line) => JSON.parse(line) as { job?: string })
      expect(failed.map(({ job }) => job)).toEqual(['login-states'])
      const states = await beside.read.selectFrom('platform_state').selectAll().execute()
      const ran = states.filter(({ updated_at: atMs }) => atMs === rooms.clock.ms).map(({ key }) => key)
      expect(ran).toEqual(expect.arrayContaining(['job.logout-tokens', 'job.presence', 'job.tickets']))
      expect(ran).not.toContain('job.login-states')
    } finally {
      await beside.close()
      await rooms.close()
      relay.close()
    }
  })
})
