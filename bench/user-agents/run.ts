import { $, YAML } from 'bun'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classifyUserAgent } from '../../apps/links/src/clicks/user-agent.ts'

/**
 * Counts browsers that are called bots, and crawlers that are not, among the agents of published
 * lists: `bun bench/user-agents/run.ts`. The lists are downloaded into a temporary folder.
 */
const PACKAGES = ['crawler-user-agents@1.60.0', 'user-agents@2.1.198']
const MATOMO = 'device-detector==6.5.1'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-user-agents-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
await $`npm install --prefix ${folder} --ignore-scripts --no-save --no-audit --no-fund ${PACKAGES}`.quiet()
await $`python3 -m pip download --quiet --no-deps --no-binary :all: --dest ${folder} ${MATOMO}`.quiet()
await $`tar --extract --gzip --strip-components=1 --file ${folder}/device_detector-6.5.1.tar.gz`.cwd(folder)

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8')
const readJson = <Entry>(...path: string[]) => JSON.parse(read('node_modules', ...path)) as Entry[]

const crawlers = readJson<{ instances?: string[] }>(
  'crawler-user-agents',
  'crawler-user-agents.json',
).flatMap(({ instances = [] }) => instances)
const visitors = readJson<{ userAgent: string }>('user-agents', 'dist', 'user-agents.json').map(
  ({ userAgent }) => userAgent,
)
const fixtures = 'device_detector/tests/fixtures/upstream'
const browsers = readdirSync(join(folder, fixtures))
  .filter((name) => name.endsWith('.yml') && name !== 'bots.yml')
  .flatMap((name) => YAML.parse(read(fixtures, name)) as { user_agent: string; client?: { type?: string } }[])
  .filter((entry) => entry.client?.type === 'browser')
  .map((entry) => entry.user_agent)

/** Browsers of 2022 or later. */
function isRecent(userAgent: string): boolean {
  const [, chrome = 0] = /(?:Chrome|CriOS|EdgiOS)\/(\d+)/.exec(userAgent) ?? []
  const [, firefox = 0] = /(?:Firefox|FxiOS)\/(\d+)/.exec(userAgent) ?? []
  const [, safari = 0] = /Version\/(\d+)\S* (?:Mobile\/\S+ )?Safari/.exec(userAgent) ?? []
  return Number(chrome) >= 97 || Number(firefox) >= 96 || Number(safari) >= 16
}

function report(title: string, userAgents: string[], isExpectedBot: boolean): void {
  const all = [...new Set(userAgents)]
  const wrong = all.filter((userAgent) => classifyUserAgent(userAgent).isBot !== isExpectedBot)
  console.log(`${title}: ${wrong.length} of ${all.length} wrong`)
  for (const userAgent of wrong) console.log(`  ${userAgent}`)
}

report('crawlers of crawler-user-agents', crawlers, true)
report("browsers of Matomo's fixtures, 2022 or later", browsers.filter(isRecent), false)
report('browsers that user-agents has seen', visitors, false)
