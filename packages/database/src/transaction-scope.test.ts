import { expect, test } from 'bun:test'
import { openDatabase } from './database.ts'
import { eachDialect } from './testing.ts'
import { watchTransactions } from './testing-transactions.ts'
import { requireNoTransaction } from './transaction-scope.ts'

const wait = async () => requireNoTransaction('the network')
const refused = 'Error: A transaction must not wait for the network'

eachDialect((dialect, newUrl) => {
  test('a wait is refused in a transaction, also behind other calls, and nowhere else', async () => {
    const database = openDatabase<object>(await newUrl())
    const outcomes: unknown[] = []
    const outside = Promise.withResolvers<void>()
    await Promise.all([
      database.write(async () => {
        await Promise.resolve()
        outcomes.push(await wait().catch(String))
        outside.resolve()
      }),
      outside.promise.then(wait),
    ])
    await wait()
    expect(outcomes).toEqual([refused])
    await database.close()
  })

  test('what a transaction leaves behind in the background may wait once it has ended', async () => {
    const database = openDatabase<object>(await newUrl())
    const ended = Promise.withResolvers<void>()
    let background: Promise<void> | undefined
    await database.write(async () => {
      background = ended.promise.then(wait)
    })
    ended.resolve()
    await background
    await database.close()
  })

  if (dialect === 'postgres') return

  test('a transaction in a transaction is refused on a file, where it would wait for itself', async () => {
    const database = openDatabase<object>(await newUrl())
    const inner = () => database.write(async () => {})
    expect(await database.write(inner).catch(String)).toContain('must not wait for another transaction')
    await inner()
    await database.close()
  })

  test('the watch of tests finds the statement after which a transaction waits, and no pause for others', async () => {
    const database = openDatabase<object>(await newUrl())
    const watch = watchTransactions()
    await database.write(() => new Promise((resolve) => setImmediate(resolve)))
    expect(watch.waits).toEqual([])
    await database.write(() => Bun.sleep(50))
    expect(watch.waits).toEqual(['begin immediate'])
    watch.stop()
    await database.close()
  })
})
