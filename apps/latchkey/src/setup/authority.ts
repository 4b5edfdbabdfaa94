/**
 * Runs the same command in a process that trusts a certificate authority: the runtime reads it only
 * when it starts. Returns its exit code; undefined if this process trusts it already.
 */
export async function runWithAuthority(authority: string | null | undefined): Promise<number | undefined> {
  if (!authority || process.env['NODE_EXTRA_CA_CERTS'] === authority) return undefined
  const [, script = '', ...args] = process.argv
  const own = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, script]
  const child = Bun.spawn([...own, ...args], {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
  })
  return child.exited
}
