// Static checks: format, lint, types, dead code, generated documents, commit subjects,
// vocabulary.
const checks = {
  format: ['oxfmt', '--check', '.'],
  'lint and types': ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  'dead code': ['knip'],
  'settings reference': ['bun', 'scripts/settings-reference.ts', '--check'],
  'SDKs in step': ['bun', 'scripts/sdks/generate.ts', '--check'],
  'commit subjects': ['bun', 'scripts/commit-subjects.ts'],
  floors: ['bun', 'scripts/floors.ts'],
  'operation names': ['bun', 'scripts/operation-names.ts'],
  vocabulary: ['bun', 'scripts/vocabulary.ts'],
}

export async function check(): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, command]) => [name, await run(name, command)] as const),
  )
  return results.filter(([, isPassed]) => !isPassed).map(([name]) => name)
}

async function run(name: string, command: readonly string[]): Promise<boolean> {
  const { isPassed, output } = await runCommand(command)
  console.log(`${isPassed ? 'ok  ' : 'FAIL'}  ${name}`)
  if (!isPassed) console.log(output)
  return isPassed
}

async function runCommand(command: readonly string[]): Promise<{ isPassed: boolean; output: string }> {
  try {
    const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { isPassed: (await child.exited) === 0, output: texts.join('') }
  } catch (error) {
    return { isPassed: false, output: String(error) }
  }
}

if (import.meta.main) process.exit((await check()).length > 0 ? 1 : 0)
