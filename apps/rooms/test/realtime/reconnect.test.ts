import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { runReconnecting } from './reconnect-harness.ts'

eachDialect((dialect, newUrl) => {
  // Several nodes need PostgreSQL.
  if (dialect === 'sqlite') return
  describe('clients whose connections break at random, on two nodes with a faulty bus,', () => {
    test('R29.1, R27.4: end with exactly the messages of the database, their texts, files, reactions and pins, none lost, none twice, and with marks that never moved back', async () => {
      const result = await runReconnecting({
        url: await newUrl(),
        seconds: 6,
        clients: 12,
        writes: 30,
        restartEverySeconds: 3,
      })
      expect(result.faults).toEqual([])
      expect(result.events).toBeGreaterThan(20)
      for (const [change, count] of Object.entries(result.changes))
        expect([change, count > 0]).toEqual([change, true])
      expect(result.files).toBeGreaterThan(3)
      expect(result.marks).toBeGreaterThan(3)
      expect(result.connects).toBeGreaterThan(18)
      expect(result.busPauses).toBeGreaterThan(0)
      expect(result.restarts).toBeGreaterThan(0)
    })
  })
})
