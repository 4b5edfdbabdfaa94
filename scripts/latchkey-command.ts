import { join } from 'node:path'

/** The words that run `latchkey` from its source. */
export const LATCHKEY_SOURCE: readonly [string, ...string[]] = [
  process.execPath,
  join(import.meta.dirname, '../apps/latchkey/src/latchkey.ts'),
]

/**
 * The words that run `latchkey` in tests: the executable that `npm test` has built, which starts
 * with a third of the processor time, or else its source.
 */
export const LATCHKEY: readonly [string, ...string[]] = process.env['LATCHKEY_TEST_EXECUTABLE']
  ? [process.env['LATCHKEY_TEST_EXECUTABLE']]
  : LATCHKEY_SOURCE
