import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readSettings } from '@latchkey/links/settings/settings'
import { readSettings as readRoomsSettings } from '@latchkey/rooms/settings/settings'
import manifest from '../../package.json' with { type: 'json' }
import { closedSchema } from './crd.ts'

const FOLDER = join(import.meta.dir, '../../../../deploy/helm')
const CHART = join(FOLDER, 'latchkey')
const VALUES = join(FOLDER, 'test-values')
const schemas = process.env['LATCHKEY_TEST_SCHEMAS'] ?? ''
const hasTools = schemas !== '' && ['helm', 'kubeconform'].every((program) => Bun.which(program) !== null)
/** The version of the schemas. */
const KUBERNETES = '1.37.0'

/** What starts, lives and is ready. */
const PROBES: Record<string, string[]> = {
  links: ['/robots.txt', '/robots.txt', '/robots.txt'],
  rooms: ['/api/health', '/api/health', '/api/ready'],
}

interface Container {
  name: string
  image: string
  env: { name: string; value: string }[]
  securityContext: object
  livenessProbe: Probe
  readinessProbe: Probe
  startupProbe: Probe
  volumeMounts: { mountPath: string; readOnly?: boolean }[]
}

interface Probe {
  httpGet: { path: string; httpHeaders: object[] }
}

interface PodSpec {
  automountServiceAccountToken: boolean
  enableServiceLinks: boolean
  securityContext: object
  containers: Container[]
  volumes: {
    name: string
    projected?: { sources: { secret: { name: string } }[] }
    persistentVolumeClaim?: object
  }[]
}

interface Resource {
  kind: string
  metadata: { name: string }
  spec: {
    replicas?: number
    strategy?: object
    template?: { spec: PodSpec }
    ingress?: object[]
    maxUnavailable?: number
    hostnames?: string[]
  }
}

function helm(command: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['helm', command, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
  })
  return { code: exitCode, out: stdout.toString(), error: stderr.toString() }
}

function template(chart: string, values: string, ...args: readonly string[]) {
  const file = join(VALUES, `${values}.yaml`)
  return helm('template', 'team', chart, '--kube-version', KUBERNETES, '--values', file, ...args)
}

function render(values: string, ...args: readonly string[]): Resource[] {
  const { code, out, error } = template(CHART, values, ...args)
  if (code !== 0) throw new Error(error)
  return out
    .split(/^---$/m)
    .map((text) => Bun.YAML.parse(text) as Resource | null)
    .filter((resource) => resource !== null)
}

function only(resources: readonly Resource[], kind: string, name: string): Resource {
  const [resource, ...others] = resources.filter((each) => each.kind === kind && each.metadata.name === name)
  if (!resource || others.length > 0) throw new Error(`${kind} ${name} is not there once`)
  return resource
}

function pods(resources: readonly Resource[]): PodSpec[] {
  return resources.flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []))
}

function environmentOf(resources: readonly Resource[], service: string): Record<string, string> {
  const containers = pods(resources).flatMap((pod) => pod.containers)
  const container = containers.find(({ name }) => name === service)
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
}

const SECRETS: Readonly<Record<string, string>> = {
  LINKS_DATABASE_URL: 'postgres://links@db.internal/links',
  ROOMS_DATABASE_URL: 'postgres://rooms@db.internal/rooms',
  ROOMS_BUS_URL: 'redis://bus.internal',
}

/** The environment with the files of its secrets in `folder`, which are written. */
function withSecrets(environment: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  const entries = Object.entries(environment).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value]
    const secret = basename(value)
    writeFileSync(join(folder, secret), SECRETS[secret] ?? 'x'.repeat(48))
    return [name, join(folder, secret)]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

describe.skipIf(!hasTools)('deploy/helm/latchkey', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'latchkey-chart-'))
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))
  const all = readdirSync(VALUES).map((name) => basename(name, '.yaml'))

  test('O1.3: helm and the schemas of Kubernetes accept what it renders', () => {
    writeFileSync(
      join(temporary, 'httproute-gateway-v1.json'),
      closedSchema(join(schemas, 'httproutes.yaml'), 'v1'),
    )
    expect(all.toSorted()).toEqual(['links-only', 'postgres', 'sqlite'])
    const files = all.map((values) => {
      const lint = helm('lint', '--strict', CHART, '--values', join(VALUES, `${values}.yaml`))
      expect(lint).toMatchObject({ code: 0, out: expect.stringContaining('0 chart(s) failed') })
      const file = join(temporary, `${values}.yaml`)
      writeFileSync(file, template(CHART, values).out)
      return file
    })
    const locations = [schemas, temporary].flatMap((folder) => [
      '-schema-location',
      `${folder}/{{.ResourceKind}}{{.KindSuffix}}.json`,
    ])
    const check = Bun.spawnSync(
      ['kubeconform', '-strict', '-summary', '-kubernetes-version', KUBERNETES, ...locations, ...files],
      { stdout: 'pipe', stderr: 'pipe' },
    )
    expect(check.stdout.toString()).toMatch(
      /^Summary: \d\d resources found in 3 files - Valid: \d\d, Invalid: 0, Errors: 0, Skipped: 0\n$/,
    )
    expect(check.exitCode).toBe(0)
  })

  test('O1.3: accepts the values of docs/operate/install.md', () => {
    const page = readFileSync(join(FOLDER, '../../docs/operate/install.md'), 'utf8')
    const [, values = ''] = /<!-- run: the file values.yaml -->\n+```yaml\n(.*?)```/s.exec(page) ?? []
    const file = join(temporary, 'documented.yaml')
    writeFileSync(file, values)
    expect(helm('template', 'team', CHART, '--kube-version', KUBERNETES, '--values', file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('image: "registry.example.com/latchkey:'),
    })
  })

  test('O1.3: is of the version that it starts', () => {
    const chart = Bun.YAML.parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
    expect(chart).toMatchObject({ version: manifest.version, appVersion: manifest.version })
  })

  test('O1.3a: on SQLite, a database has one node, which stops before the next one starts', () => {
    const resources = render('sqlite')
    expect(only(resources, 'StatefulSet', 'team-links').spec).toMatchObject({
      replicas: 1,
      volumeClaimTemplates: [{ spec: { accessModes: ['ReadWriteOnce'] } }],
    })
    expect(only(resources, 'Deployment', 'team-rooms').spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    })
    only(resources, 'PersistentVolumeClaim', 'team-rooms')
    expect(resources.filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([])
  })

  test('O1.3b: on PostgreSQL, all nodes but one go on while machines are emptied and versions change', () => {
    const resources = render('postgres')
    for (const name of ['team-links', 'team-rooms'])
      expect(only(resources, 'PodDisruptionBudget', name).spec.maxUnavailable).toBe(1)
    expect(only(resources, 'Deployment', 'team-rooms').spec).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
    })
    expect(only(resources, 'StatefulSet', 'team-links').spec.replicas).toBe(2)
    // Only the journal of Links is on a disk of the node.
    expect(resources.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([])
  })

  test('O1.3c: no probe of Links asks the database, without which short links still work', () => {
    for (const values of all)
      for (const { containers } of pods(render(values)))
        for (const { name, livenessProbe, readinessProbe, startupProbe } of containers) {
          const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
          expect(paths).toEqual(PROBES[name] ?? [])
        }
  })

  test('O1.3d: pods meet the restricted profile, with a read-only root and no access to the cluster', () => {
    for (const values of all)
      for (const pod of pods(render(values))) {
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 65_532,
          seccompProfile: { type: 'RuntimeDefault' },
        })
        for (const { securityContext } of pod.containers)
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          })
        expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false])
      }
  })

  test('O1.3e: only the peers that the values name reach the pods', () => {
    const [policy] = render('postgres').filter(({ kind }) => kind === 'NetworkPolicy')
    expect(policy?.spec.ingress).toEqual([
      {
        ports: [{ port: 'http' }],
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } }],
      },
    ])
  })

  test('O1.3f: secrets exist already, and are files that only the pod can read', () => {
    const resources = render('postgres')
    expect(resources.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const sources = pods(resources).flatMap(({ volumes }) =>
      volumes.flatMap((each) => each.projected?.sources ?? []),
    )
    expect(new Set(sources.map(({ secret }) => secret.name))).toEqual(
      new Set(['databases', 'latchkey', 'storage']),
    )
    for (const service of ['links', 'rooms'])
      for (const name of ['DATABASE_URL', 'BUS_URL', 'S3_SECRET_ACCESS_KEY'])
        expect(environmentOf(resources, service)).not.toHaveProperty(`${service.toUpperCase()}_${name}`)
  })

  test('O1.3g: the services accept the settings that it renders', () => {
    const services = [
      ['links', readSettings],
      ['rooms', readRoomsSettings],
    ] as const
    for (const values of all)
      for (const [service, read] of services) {
        const environment = environmentOf(render(values), service)
        if (Object.keys(environment).length === 0) continue
        const local = withSecrets(environment, join(temporary, 'secrets'))
        expect(() => read(local), `${values}: ${service}`).not.toThrow()
      }
    expect(environmentOf(render('sqlite'), 'rooms')).toMatchObject({
      ALLOWED_HOSTS: 'https://rooms.example.com',
      ROOMS_LINKS_URL: 'https://go.example.com',
      TRUSTED_PROXIES: '10.42.0.0/16',
    })
    expect(environmentOf(render('links-only'), 'links')).not.toHaveProperty('LINKS_ROOMS_URL')
  })

  test.each([
    ['imgae.tag=1', "'imgae' not allowed"],
    ['image.digest=sha256:12', '/image/digest'],
    ['links.hots=go.example.com', "'hots' not allowed"],
    ['links.host=https://go.example.com', '/links/host'],
    ['rooms.host=', '/rooms/host'],
    ['rooms.replicas=two', '/rooms/replicas'],
    ['links.replicas=2', "'LINKS_DATABASE_URL'"],
    ['rooms.replicas=2', "'ROOMS_DATABASE_URL', 'ROOMS_BUS_URL'"],
    ['links.settings.LINKS_BASEURL=https://go.example.com', "'LINKS_BASEURL' not allowed"],
    ['links.settings.LINKS_PORT=80', "'LINKS_PORT' not allowed"],
    ['rooms.settings.AUTH_CLIENT_SECRET=secret', "'AUTH_CLIENT_SECRET' not allowed"],
    ['rooms.secrets.AUTH_CLIENT_SECRET=secret', '/rooms/secrets/AUTH_CLIENT_SECRET'],
    ['rooms.storage.size=ten', '/rooms/storage/size'],
    ['ingress.enabled=maybe', '/ingress/enabled'],
    ['trustedProxies=all', '/trustedProxies'],
    ['links.settings.LINKS_ACCESS=header', '/ingress/enabled'],
    ['links.settings.LINKS_ACCESS=header,ingress.enabled=false,gateway.enabled=true', '/gateway/enabled'],
    ['links.settings.LINKS_ACCESS=header,ingress.enabled=false', '/networkPolicy/from'],
  ])('O1.3h: %s is refused by name', (setting, name) => {
    const { code, out, error } = template(CHART, 'sqlite', '--set', setting)
    expect({ code, out, error }).toMatchObject({ code: 1, out: '', error: expect.stringContaining(name) })
  })
})
