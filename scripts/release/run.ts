import { join } from 'node:path'

/** Root folder of the repository. */
export const ROOT = join(import.meta.dirname, '../..')

/** Runs a command to its end and returns its stdout. Throws with its output if it fails. */
export async function run(command: string[], folder = ROOT, env = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${err}${out}`)
  return out
}
