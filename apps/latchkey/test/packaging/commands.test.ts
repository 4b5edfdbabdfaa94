import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testExecutable } from './executable.ts'

const executable = testExecutable()

/**
 * Test files of the parent folder. The documents, which run from source, follow what the other commands
 * print.
 */
const SUITES = ['command-line', 'health']

/** `npm test` runs them through the executable, and here from source. A plain `bun test` the other way round. */
const OTHER = process.env['LATCHKEY_TEST_EXECUTABLE'] ? '' : executable.path

test('the command line works the same in the executable as from source', async () => {
  const files = SUITES.map((name) => join(import.meta.dir, `../${name}.test.ts`))
  const tests = Bun.spawn([process.execPath, 'test', '--timeout', '60000', ...files], {
    env: { ...process.env, LATCHKEY_TEST_EXECUTABLE: OTHER },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stderr = await new Response(tests.stderr).text()
  expect([await tests.exited, stderr.split('\n').filter((line) => line.startsWith('(fail)'))]).toEqual([
    0,
    [],
  ])
  expect(Number(/^ (\d+) pass$/m.exec(stderr)?.[1])).toBeGreaterThan(40)
}, 300_000)
