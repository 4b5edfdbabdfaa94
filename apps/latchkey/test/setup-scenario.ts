// A server in namespaces of its own, with its names and the ports 80 and 443: the services run with the
// files that setup wrote, behind the proxy that it configured. Prints a line of JSON for each step.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LATCHKEY } from '../../../scripts/latchkey-command.ts'
import { startOidcProvider } from '../../rooms/test/real/oidc-provider.ts'
import { Person } from '../../rooms/test/real/person.ts'
import { parseEnvFile } from '../src/setup/env-file.ts'

const [root = '', proxy = 'caddy'] = process.argv.slice(2)
const [LINKS, ROOMS] = ['go.setup.test', 'rooms.setup.test'] as const
const SECRET = 'a-secret-of-the-client'
const WITHIN_MS = 20_000
const path = `${process.env['PATH']}:/usr/sbin`
const at = (...names: string[]) => join(root, ...names)

function sh(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { env: { PATH: path } })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + WITHIN_MS
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`Not in time: ${check.toString()}`)
    await Bun.sleep(50)
  }
}

async function latchkey(...args: string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn([...LATCHKEY, ...args], {
    cwd: root,
    env: { PATH: path },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out: out + err }
}

const print = (step: string, result: object) => console.log(JSON.stringify({ step, ...result }))

/** The environment that systemd would give to a service. */
function environmentOf(service: string): Record<string, string> {
  const dropIn = readFileSync(at(`etc/systemd/system/latchkey-${service}.service.d/setup.conf`), 'utf8')
  const files = [...dropIn.matchAll(/^Environment=(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace('%d', at('etc/latchkey')),
  ])
  return {
    ...parseEnvFile(readFileSync(at(`etc/latchkey/${service}.env`), 'utf8')).values,
    ...Object.fromEntries(files),
  }
}

const startService = (service: string) =>
  Bun.spawn([...LATCHKEY, service], {
    cwd: root,
    env: { PATH: path, LINKS_TITLE_FETCH: 'off', ...environmentOf(service) },
    stdout: Bun.file(at(`${service}.log`)),
    stderr: Bun.file(at(`${service}.err`)),
  })

function startProxy() {
  const output = { stdout: Bun.file(at('proxy.log')), stderr: Bun.file(at('proxy.err')) } as const
  if (proxy === 'caddy')
    return Bun.spawn(['caddy', 'run', '--adapter', 'caddyfile', '--config', at('etc/caddy/Caddyfile')], {
      env: { PATH: path, HOME: root, XDG_DATA_HOME: root },
      ...output,
    })
  writeFileSync(
    at('nginx.conf'),
    `daemon off; pid ${at('nginx.pid')}; events {} user root;
    http { access_log off; include ${at('etc/nginx/conf.d/*.conf')}; }`,
  )
  return Bun.spawn(['nginx', '-p', root, '-c', at('nginx.conf')], { env: { PATH: path }, ...output })
}

writeFileSync(at('hosts'), `127.0.0.1 localhost ${LINKS} ${ROOMS}\n`)
sh('ip', 'link', 'set', 'lo', 'up')
sh('mount', '--bind', at('hosts'), '/etc/hosts')
sh(
  'openssl',
  ...'req -x509 -newkey rsa:2048 -noenc -days 90 -subj /CN=setup'.split(' '),
  '-addext',
  `subjectAltName=DNS:${LINKS},DNS:${ROOMS}`,
  '-keyout',
  at('key.pem'),
  '-out',
  at('certificate.pem'),
)
const provider = await startOidcProvider({
  alg: 'RS256',
  client: {
    client_id: 'latchkey-rooms',
    client_secret: SECRET,
    redirect_uris: [`https://${ROOMS}/api/auth/callback`],
    post_logout_redirect_uris: [`https://${ROOMS}`],
    backchannel_logout_uri: `https://${ROOMS}/api/auth/backchannel-logout`,
    backchannel_logout_session_required: true,
  },
})
writeFileSync(at('secret'), SECRET)
// Someone's own file, with the line that setup needs in it. Caddy is to install no authority here.
mkdirSync(at('etc/caddy'), { recursive: true })
writeFileSync(
  at('etc/caddy/Caddyfile'),
  '{\n\tskip_install_trust\n\tadmin off\n}\nimport latchkey.caddyfile\n',
)
const answers = {
  HOST_OF_LINKS: LINKS,
  HOST_OF_ROOMS: ROOMS,
  PROVIDER: 'oidc',
  OIDC_ISSUER: provider.origin,
  AUTH_CLIENT_ID: 'latchkey-rooms',
  AUTH_CLIENT_SECRET_FILE: at('secret'),
  AUTH_REQUIRE: 'sub=alice',
  BACKCHANNEL_LOGOUT: 'on',
  EMAIL: 'ann@example.com',
  DATA: at('data'),
  INSTALL: 'systemd',
  PROXY: proxy,
  ...(proxy === 'caddy' ? {} : { CERTIFICATE: at('certificate.pem'), CERTIFICATE_KEY: at('key.pem') }),
}
writeFileSync(
  at('answers.env'),
  Object.entries(answers)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n'),
)
mkdirSync(at('data'))

print('setup', await latchkey('setup', '--answers', at('answers.env'), '--write', root))
print('check before start', await latchkey('setup', '--check', '--write', root))
const services = [startService('links'), startService('rooms')]
const front = startProxy()
const insecure = { tls: { rejectUnauthorized: false }, redirect: 'manual' } as const
const status = async (url: string) => (await fetch(url, insecure)).status
await until(async () => (await status(`https://${LINKS}/_/health`)) === 200)
await until(async () => (await status(`https://${ROOMS}/api/health`)) === 200)
print('check', await latchkey('setup', '--check', '--write', root))
print('setup again', await latchkey('setup', '--answers', at('answers.env'), '--write', root))
const dashboard = `https://${LINKS}/_/admin/dashboard`
const forged = { ...insecure, headers: { 'X-Latchkey-Assertion': 'forged', Accept: 'text/html' } }
// The certificates are of no authority that this program knows.
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
const person = new Person()
const page = await provider.signIn(person, await person.visit(dashboard))
const session = await person.visit(`https://${ROOMS}/api/session`)
print('pages', {
  isForgedAdmitted: (await fetch(dashboard, forged)).ok,
  api: await status(`https://${LINKS}/_/api/links`),
  metrics: await status(`https://${LINKS}/_/metrics`),
  admin: [page.url.href, page.status],
  hosts: [...new Set(page.trail.map(({ hostname }) => hostname))],
  session: session.status,
})
appendFileSync(at('etc/latchkey/links.env'), 'LINKS_ROBOTS=disallow\n')
await provider.stop()
services[1]?.kill()
await services[1]?.exited
print('check after drift', await latchkey('setup', '--check', '--write', root))
print('end', { journal: existsSync(at('etc/latchkey/setup.json.journal')) })
front.kill()
services[0]?.kill()
await Promise.all([front.exited, services[0]?.exited])
process.exit(0)
