// Everything that reads the code without running it: format, lint, types, dead code, generated documents.
const checks = {
  format: ['oxfmt', '--check', '.'],
  'lint and types': ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  'dead code': ['knip'],
  'settings reference': ['bun', 'scripts/settings-reference.ts', '--check'],
  'SDKs in step': ['bun', 'scripts/sdks/generate.ts', '--check'],
}

export async function check(): Promise<string[]> {
  const passed = await Promise.all(
    Object.entries(checks).map(async ([name, command]) => [name, await run(name, command)] as const),
  )
  return passed.filter(([, isPassed]) => !isPassed).map(([name]) => name)
}

async function run(name: string, command: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const isPassed = (await child.exited) === 0
  console.log(`${isPassed ? 'ok  ' : 'FAIL'}  ${name}`)
  if (!isPassed) console.log(said.join(''))
  return isPassed
}

if (import.meta.main) process.exit((await check()).length > 0 ? 1 : 0)
