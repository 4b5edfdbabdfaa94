import { join } from 'node:path'

const TOOLS = join(import.meta.dir, '../../node_modules/.bin')

/** Returns the output of a command. A failing command fails the test with all of its output. */
export async function outputOf(
  command: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, ...env, PATH: `${TOOLS}:${process.env['PATH']}` },
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${out}\n${err}`)
  return out
}
