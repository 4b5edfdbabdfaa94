import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { OperationTable } from '../build.ts'

/**
 * Tests that the client in `folder` names each operation of its table, except for `others`, which
 * other clients call.
 */
export function testCalls(operations: OperationTable, folder: string, others: readonly string[]): void {
  test('the pages call every operation of their table, except those of other clients', async () => {
    const names = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)]
    const sources = await Promise.all(
      names.filter((name) => !name.includes('.test.')).map((name) => Bun.file(join(folder, name)).text()),
    )
    const uncalled = Object.keys(operations).filter((id) => !sources.some((code) => code.includes(`'${id}'`)))
    expect(uncalled.toSorted()).toEqual(others.toSorted())
  })
}
