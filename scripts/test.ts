// The whole check of the project: the static checks, then every test, with the tools of this machine.
// On a user's machine it prints which parts were skipped and why. With CI set, no tool may be missing
// and no test skipped. With the names of files, only their tests run, at once. With --changed, the
// static checks run and the tests that the changes since the main branch can touch.
import { rmSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { findChanges, readSources, selectTests } from './changed-tests.ts'
import { check } from './check.ts'
import { HAS_NAMESPACES } from '../apps/latchkey/test/packaging/image.ts'
import { HAS_MACHINES } from '../apps/latchkey/test/packaging/machine.ts'
import { HAS_NETWORKS } from '../apps/latchkey/test/packaging/network.ts'
import { createMemoryFolder } from './memory-folder.ts'
import { type TestPostgres, startPostgres } from './postgres.ts'
import { buildExecutable } from './release/executable.ts'
import { ownPlatform } from './release/platforms.ts'
import { countTests, printSlowest, readReport } from './test-report.ts'

const args = process.argv.slice(2)
const inCi = process.env['CI'] === 'true'
const missing: string[] = []

const changes = args.includes('--changed') ? await findChanges() : []
const selected = args.includes('--changed') ? selectTests(changes, await readSources()) : undefined
if (selected) console.log(`${changes.length} changed files can touch ${selected.length} test files`)
if (selected?.length === 0) process.exit((await check()).length > 0 ? 1 : 0)

/** Memory of a process that runs tests, with its services and browser. */
const MEMORY_EACH = 1024 ** 3
/** PostgreSQL connections of a process that runs tests: of several nodes with a few pools each. */
const CONNECTIONS_EACH = 100
/**
 * Test files in parallel for each core: for about half of their time they wait for servers and
 * browsers. In CI, where a test that a busy machine fails costs a whole run, one.
 */
const FILES_PER_CORE = inCi ? 1 : 2
const width = Math.max(
  1,
  Math.floor(Math.min(FILES_PER_CORE * availableParallelism(), totalmem() / MEMORY_EACH)),
)

const memory = createMemoryFolder()
if (memory !== undefined) process.env['TMPDIR'] = memory

const executable = join(tmpdir(), `latchkey-executable-${process.pid}`)
let tests: Bun.Subprocess | undefined
let starting: Promise<TestPostgres | undefined> | undefined
let cleaning: Promise<void> | undefined
let isEnding = false
// PostgreSQL runs in its own session, which Ctrl+C does not reach, and a signal to this process
// reaches no other.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // A shell and npm may both forward the signal.
    if (!isEnding) void cleanUp().finally(() => process.exit(130))
    isEnding = true
  })
const configuredUrl = process.env['LATCHKEY_TEST_POSTGRES']
starting = configuredUrl ? undefined : startPostgres(width * CONNECTIONS_EACH)
const postgresUrl = configuredUrl ?? (await starting)?.url
if (postgresUrl === undefined)
  missing.push('PostgreSQL is not installed, or runuser for root: everything was tested on SQLite only')

const chromium = process.env['LATCHKEY_TEST_CHROMIUM'] ?? Bun.which('chromium') ?? Bun.which('google-chrome')
// Most pages open in Chromium's headless shell, if installed, which halves the time of those tests.
const shell =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] ??
  (process.env['LATCHKEY_TEST_CHROMIUM'] ? undefined : Bun.which('chromium-headless-shell'))
if (!chromium) missing.push('Chromium is not installed: no page was opened in a browser')

const wide = { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }
if (!Bun.which('glewlwyd', wide))
  missing.push('Glewlwyd is not installed: signing in through it was not tried')
if (!Bun.which('nginx', wide) || !Bun.which('openssl', wide))
  missing.push('nginx or openssl is not installed: nothing was tried behind a proxy')
if (!Bun.which('redis-server', wide)) missing.push('Redis is not installed: nodes were tried without a bus')

if (!Bun.which('promtool', wide))
  missing.push('Prometheus is not installed: the alert rules of the documents were not checked')

if (!Bun.which('versitygw'))
  missing.push('versitygw is not installed: files were stored in a folder only (see .ci/run)')
if (!process.env['LATCHKEY_TEST_FIREFOX'] && !Bun.which('firefox-esr'))
  missing.push('Firefox is not installed: calls were tried in Chromium only')
if (!process.env['LATCHKEY_TEST_LIVEKIT'] && !Bun.which('livekit-server'))
  missing.push('LiveKit is not installed: calls were carried in a mesh only (see .ci/run)')
if (!Bun.which('systemd-analyze', wide)) missing.push('systemd is not installed: its units were not checked')
for (const program of ['nfpm', 'rpm', 'actionlint', 'helm', 'kubeconform'])
  if (!Bun.which(program))
    missing.push(
      `${program} is not installed: packages, workflows and the chart were not checked (see .ci/run)`,
    )
if ((process.env['LATCHKEY_TEST_SCHEMAS'] ?? '') === '')
  missing.push(
    'LATCHKEY_TEST_SCHEMAS is unset: the chart was not compared with Kubernetes (see CONTRIBUTING.md)',
  )
if (!HAS_MACHINES) missing.push('Machines need root and systemd: no package was installed')
if (!HAS_NAMESPACES)
  missing.push('Namespaces cannot be made here: the executable was not run in an image of its own')
if (!Bun.which('skopeo') || !Bun.which('umoci'))
  missing.push('skopeo or umoci is not installed: the image was not read by other programs')
if (!HAS_NETWORKS || !Bun.which('caddy', wide))
  missing.push('Caddy, iproute2 or root is missing: what the compose files start was not started')

if (!Bun.which('mcp-inspector'))
  missing.push('The MCP Inspector is not installed: its command line was not tried (see .ci/run)')

const python = process.env['LATCHKEY_TEST_PYTHON'] ?? ''
if (python === '')
  missing.push('LATCHKEY_TEST_PYTHON is unset: the shrtnr Python SDK was not tried (see CONTRIBUTING.md)')

if ((process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? '') === '')
  missing.push('LATCHKEY_TEST_PYTHON_TOOLS is unset: the Python SDK was not tried (see CONTRIBUTING.md)')

const isSubset = args.some((argument) => !argument.startsWith('-'))
const report = join(tmpdir(), `latchkey-test-${process.pid}.xml`)
// Built once for all tests that need it; of a subset, each file that needs it builds its own. If the
// build fails, those tests report the reason. The checks are not beside the tests, of which the longest
// come first: on two cores they would time out.
const [isBuilt, failedChecks] = isSubset
  ? [false, []]
  : await Promise.all([
      buildExecutable(ownPlatform(), executable).then(
        () => true,
        () => false,
      ),
      check(),
    ])
tests = Bun.spawn(
  [
    'bun',
    'test',
    '--timeout',
    '60000',
    `--parallel=${width}`,
    // As under a plain `bun test`, the files of one process share the modules that they import:
    // loading them again takes a second per file.
    '--no-isolate',
    // The slowest first, so no single file runs last alone. `npm test -- --update-timings` measures
    // them again.
    `--timings=${join(import.meta.dirname, 'test-timings.json')}`,
    '--reporter=junit',
    '--reporter-outfile',
    report,
    ...args.filter((argument) => argument !== '--changed'),
    // A path that begins with a dot is no pattern.
    ...(selected ?? []).map((path) => `./${path}`),
  ],
  {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    env: {
      ...process.env,
      LATCHKEY_TEST_POSTGRES: postgresUrl ?? '',
      LATCHKEY_TEST_CHROMIUM: chromium ?? '',
      LATCHKEY_TEST_CHROMIUM_SHELL: shell ?? '',
      LATCHKEY_TEST_PYTHON: python,
      LATCHKEY_TEST_EXECUTABLE: isBuilt ? executable : '',
      LATCHKEY_TEST_PAGES: changes.filter((path) => path.endsWith('.md')).join(','),
    },
  },
)
const testsExit = await tests.exited
const junit = readReport(report)
await cleanUp()
// A signal handler ends the process with its own code.
if (isEnding) await new Promise(() => {})

const counts = countTests(junit)
printSlowest(junit)
const failed = counts.failures + failedChecks.length + (testsExit !== 0 && counts.failures === 0 ? 1 : 0)
for (const sentence of missing) console.log(`skipped: ${sentence}`)
const incomplete = inCi && (missing.length > 0 || counts.skipped > 0)
if (incomplete) console.log('CI must skip nothing.')
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(
  `${counts.tests - counts.failures - counts.skipped} passed, ${failed + (incomplete ? 1 : 0)} failed${skipped}`,
)
process.exit(failed > 0 || incomplete ? 1 : 0)

/** Cleans up once, however often it is called. */
function cleanUp(): Promise<void> {
  return (cleaning ??= (async () => {
    tests?.kill()
    rmSync(executable, { force: true })
    await (await starting)?.stop()
    if (memory !== undefined) rmSync(memory, { recursive: true, force: true })
  })())
}
