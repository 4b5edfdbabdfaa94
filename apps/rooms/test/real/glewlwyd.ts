import { Database } from 'bun:sqlite'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { type Page, Person } from './person.ts'
import type { LogoutProvider } from './provider.ts'

/** The files of the Debian package, or undefined if it is not installed. */
export const GLEWLWYD =
  Bun.which('glewlwyd', { PATH: `${process.env['PATH']}:/usr/bin:/usr/sbin` }) ?? undefined
/** The package's own. `/usr/share/doc`, which has it as well, is left out of small images. */
const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const PAGES = '/usr/share/glewlwyd/webapp'
const MODULES = '/usr/lib/glewlwyd'
/** The initial rows of its tables. */
const ADMINISTRATOR = { username: 'admin', password: 'password' }
export const ALICE = { username: 'alice', password: 'a password of the tests' }
const SESSION_COOKIE = 'GLEWLWYD2_OIDC_SID'
const SCOPES = ['openid', 'profile', 'email']

/** The configuration that the page instructs an administrator of Glewlwyd to enter. */
export interface Registration {
  /** `POST /api/mod/plugin/`, without the key. */
  plugin: { name: string; parameters: Record<string, unknown> }
  /** `POST /api/client/`. */
  client: { client_id: string }
  /** Scopes that clients may have in addition to those of Glewlwyd itself. */
  clientProperties: Record<string, unknown>
}

/**
 * A separate instance on loopback, in its own folder, configured through its API as its pages do.
 */
export async function startGlewlwyd(register: (origin: string) => Registration): Promise<LogoutProvider> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-glewlwyd-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const tables = new Database(join(folder, 'glewlwyd.db'))
  tables.exec(readFileSync(TABLES, 'utf8'))
  tables.close()
  copyPages(join(folder, 'pages'))
  writeFileSync(join(folder, 'glewlwyd.conf'), configuration(folder, port))
  const child = Bun.spawn([GLEWLWYD ?? '', `--config-file=${join(folder, 'glewlwyd.conf')}`], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await answers(`${origin}/config`)
  const administrator = new Person()
  await script(administrator, origin, 'POST', '/api/auth/', ADMINISTRATOR)
  const manage = (method: string, path: string, body?: unknown) =>
    script(administrator, origin, method, path, body)
  const { client, plugin } = await setUp(manage, register(origin))
  const alice = async (name: string, email: string, method = 'PUT', path = `/api/user/${ALICE.username}`) =>
    void (await manage(method, path, { ...ALICE, name, email, scope: SCOPES, enabled: true }))
  await alice('Alice Andersson', 'alice@example.com', 'POST', '/api/user/')

  /** Performs the actions of its page: calls its API, and then returns to the calling page. */
  async function grant(person: Person, page: Page, scopes: string[]): Promise<Page> {
    await script(person, origin, 'POST', '/api/auth/', ALICE)
    await script(person, origin, 'PUT', `/api/auth/grant/${client.client_id}`, { scope: scopes.join(' ') })
    return person.visit(`${page.url.searchParams.get('callback_url')}&g_continue`)
  }

  /** Performs the action of the button "Logout" on its logout page. */
  async function end(person: Person, sid: string): Promise<void> {
    await script(person, origin, 'DELETE', `/api/${plugin.name}/session/${sid}`)
    await script(person, origin, 'DELETE', '/api/auth/')
  }

  return {
    origin,
    signIn: (person, page) => grant(person, page, SCOPES),
    refuse: (person, page) => grant(person, page, []),
    rename: (name, email) => alice(name, email),
    async agreeToSignOut(person, page) {
      await end(person, page.url.searchParams.get('sid') ?? '')
      return person.visit(page.url.searchParams.get('callback_url') ?? '')
    },
    // As its page does for another application in which Alice has signed in with the same session.
    async signOutThere(person) {
      await end(person, person.cookies('127.0.0.1').get(SESSION_COOKIE) ?? '')
    },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function setUp(
  manage: (method: string, path: string, body?: unknown) => Promise<unknown>,
  registration: Registration,
): Promise<Registration> {
  const { plugin, client, clientProperties } = registration
  const database = (await manage('GET', '/api/mod/client/database')) as {
    parameters: { 'data-format': object }
  }
  Object.assign(database.parameters['data-format'], clientProperties)
  await manage('PUT', '/api/mod/client/database', database)
  await manage('PUT', '/api/mod/client/database/reset')
  const scope = { description: 'Of the tests', password_required: false, password_max_age: 0, scheme: {} }
  for (const name of SCOPES.filter((each) => each !== 'openid'))
    await manage('POST', '/api/scope/', { ...scope, name, display_name: name })
  await manage('POST', '/api/mod/plugin/', {
    ...plugin,
    parameters: { ...plugin.parameters, ...signingKey() },
  })
  await manage('POST', '/api/client/', client)
  return registration
}

/**
 * In the package, the link to the configuration of the pages points to a folder and not to the file
 * in it.
 */
function copyPages(to: string): void {
  cpSync(PAGES, to, {
    recursive: true,
    dereference: true,
    filter: (path) => path !== join(PAGES, 'config.json'),
  })
  cpSync('/etc/glewlwyd/config-2.7.json/config.json', join(to, 'config.json'))
}

function signingKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    cert: publicKey.export({ format: 'pem', type: 'spki' }),
  }
}

/** Calls its API as a script of its pages does. */
async function script(
  person: Person,
  origin: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await person.call(origin, path, { method, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`Glewlwyd answers ${method} ${path} with ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

async function answers(url: string): Promise<void> {
  const deadlineMs = performance.now() + 20_000
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > deadlineMs) throw new Error('Glewlwyd does not start')
    await Bun.sleep(20)
  }
}

const configuration = (folder: string, port: number) => `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:${port}"
login_url = "login.html"
api_prefix = "api"
static_files_path = "${folder}/pages"
static_files_mime_types = (
  { extension = ".html"; mime_type = "text/html"; },
  { extension = ".js"; mime_type = "application/javascript"; },
  { extension = ".css"; mime_type = "text/css"; },
  { extension = ".json"; mime_type = "application/json"; }
)
log_mode = "file"
log_level = "INFO"
log_file = "${folder}/log"
cookie_secure = 0
session_expiration = 3600
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "${MODULES}/user"
client_module_path = "${MODULES}/client"
user_auth_scheme_module_path = "${MODULES}/scheme"
plugin_module_path = "${MODULES}/plugin"
hash_algorithm = "SHA512"
database = { type = "sqlite3"; path = "${folder}/glewlwyd.db"; }
`
