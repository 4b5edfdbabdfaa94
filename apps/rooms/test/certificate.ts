export const OPENSSL = Bun.which('openssl') ?? undefined

/** Creates a certificate for a host, signed by itself, and its key. */
export async function createCertificate(
  host: string,
  { certificate, key }: { certificate: string; key: string },
): Promise<void> {
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  const files = ['-keyout', key, '-out', certificate]
  const child = Bun.spawn(
    [OPENSSL ?? '', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
}
