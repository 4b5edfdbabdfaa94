import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { findLimitProblems, runLimit } from './limit.ts'

/** `npm run prove kill` kills more often. */
const KILLS = 5

describe('64 people follow a link with a maximum, and the server is killed among them', () => {
  eachDialect((dialect, newUrl) => {
    test('L26.3e: exactly that many people get through, and previews use nothing up', async () => {
      const outcome = await runLimit({
        kills: KILLS,
        // Two nodes share a database of PostgreSQL.
        ...(dialect === 'postgres' && { databaseUrl: await newUrl() }),
      })
      expect(findLimitProblems(outcome)).toEqual([])
      expect(outcome.kills).toBe(KILLS)
      expect(outcome.previews).toBeGreaterThan(0)
    }, 120_000)
  })
})
