import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ROOT, run } from './run.ts'

const TOOLS = join(ROOT, 'node_modules/.bin')

/**
 * Packs the clients of Links into `folder`: a tarball for npm and a wheel for pip. `python` is an
 * interpreter with hatchling. Throws the errors of their tools.
 */
export async function packClients(folder: string, python: string, sourceTime: Date): Promise<void> {
  const copies = mkdtempSync(join(tmpdir(), 'latchkey-clients-'))
  const environment = {
    ...process.env,
    PATH: `${TOOLS}${delimiter}${process.env['PATH']}`,
    SOURCE_DATE_EPOCH: String(sourceTime.getTime() / 1000),
  }
  try {
    for (const name of ['typescript', 'python'])
      cpSync(join(ROOT, 'sdks', name), join(copies, name), {
        recursive: true,
        filter: (from) => !/[/\\](dist|node_modules|__pycache__)$/.test(from),
      })
    await run(
      ['npm', 'pack', '--silent', '--pack-destination', folder],
      join(copies, 'typescript'),
      environment,
    )
    const wheel = [python, '-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder]
    await run(wheel, join(copies, 'python'), environment)
  } finally {
    rmSync(copies, { recursive: true, force: true })
  }
}
