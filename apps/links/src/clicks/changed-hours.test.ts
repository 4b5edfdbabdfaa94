import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { invalidateRollups } from './changed-hours.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl) => {
  if (dialect !== 'sqlite') return

  test('rollups of changed hours are found by their keys, however many rollups exist', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const [, removal] = invalidateRollups(dialect, 'select link_id, hour from click_hour_open')
    const plan = await stored.rows<{ detail: string }>(`explain query plan ${removal}`)
    expect(plan.map(({ detail }) => detail).filter((step) => step.includes('click_period'))).toEqual([
      'SEARCH click_period USING PRIMARY KEY (link_id=? AND unit=? AND start=?)',
    ])
  })
})
