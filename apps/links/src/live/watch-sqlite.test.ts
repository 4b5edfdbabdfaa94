import { expect, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { watchSqlite } from './watch-sqlite.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl) => {
  if (dialect !== 'sqlite') return

  test('a reader that leaves before the first poll leaves no timer behind', async () => {
    const { database } = closeLater(await TestDatabase.open(await newUrl()))
    const watch = watchSqlite(database, { info() {}, warn() {}, error() {} })
    const timers = spyOn(globalThis, 'setInterval')
    try {
      const starting = watch.start(() => undefined)
      watch.pause()
      await starting
      expect(timers).toHaveBeenCalledTimes(0)
      // A reader that returns starts one timer.
      await Promise.all([watch.start(() => undefined), watch.start(() => undefined)])
      expect(timers).toHaveBeenCalledTimes(1)
    } finally {
      timers.mockRestore()
      await watch.close()
    }
  })
})
