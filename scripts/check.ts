// Everything that reads the code without running it: format, lint, types, dead code, generated documents.
const checks = {
  format: ['oxfmt', '--check', '.'],
  'lint and types': ['oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  'dead code': ['knip'],
  'settings reference': ['bun', 'scripts/settings-reference.ts', '--check'],
  'SDKs in step': ['bun', 'scripts/sdks/generate.ts', '--check'],
}

export async function check(): Promise<string[]> {
  const failed: string[] = []
  for (const [name, command] of Object.entries(checks)) {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const output = (
      await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    ).join('')
    const passed = (await child.exited) === 0
    console.log(`${passed ? 'ok  ' : 'FAIL'}  ${name}`)
    if (!passed) failed.push(name)
    if (!passed) console.log(output)
  }
  return failed
}

if (import.meta.main) process.exit((await check()).length > 0 ? 1 : 0)
