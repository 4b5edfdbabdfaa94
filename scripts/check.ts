// Everything that reads the code without running it: format, lint, types, dead code, generated documents, commit subjects.
const checks = {
  format: ['oxfmt', '--check', '.'],
  'lint and types': ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  'dead code': ['knip'],
  'settings reference': ['bun', 'scripts/settings-reference.ts', '--check'],
  'SDKs in step': ['bun', 'scripts/sdks/generate.ts', '--check'],
  'commit subjects': ['bun', 'scripts/commit-subjects.ts'],
}

export async function check(): Promise<string[]> {
  const passed = await Promise.all(
    Object.entries(checks).map(async ([name, command]) => [name, await run(name, command)] as const),
  )
  return passed.filter(([, isPassed]) => !isPassed).map(([name]) => name)
}

async function run(name: string, command: readonly string[]): Promise<boolean> {
  const { isPassed, said } = await carriedOut(command)
  console.log(`${isPassed ? 'ok  ' : 'FAIL'}  ${name}`)
  if (!isPassed) console.log(said)
  return isPassed
}

async function carriedOut(command: readonly string[]): Promise<{ isPassed: boolean; said: string }> {
  try {
    const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { isPassed: (await child.exited) === 0, said: said.join('') }
  } catch (error) {
    // The tool is not installed.
    return { isPassed: false, said: String(error) }
  }
}

if (import.meta.main) process.exit((await check()).length > 0 ? 1 : 0)
