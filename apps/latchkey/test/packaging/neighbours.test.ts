import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'
import { Workspace, type Service } from '../running.ts'
import { HAS_NETWORKS, Network } from './network.ts'

/**
 * Requests each path as a local client, optionally from a given address, and prints the statuses.
 */
const ASK = `
  import { get } from 'node:http'
  const [origin, localAddress, headers, ...paths] = process.argv.slice(1)
  const { hostname, port } = new URL(origin)
  const statusOf = (path) => new Promise((resolve, reject) => get({
    host: hostname.replaceAll(/[[\\]]/g, ''), port, path, agent: false, timeout: 20_000,
    ...(localAddress && { localAddress }),
    headers: { Host: 'localhost', ...JSON.parse(headers) },
  }, (response) => resolve(response.resume().statusCode)).on('error', reject))
  console.log(JSON.stringify(await Promise.all(paths.map(statusOf))))
  process.exit()`

const SERVICE = '10.99.0.1'
const NEIGHBOUR = '10.99.0.2'
const IPV6_NEIGHBOUR = 'fd00:99::2'

const OF_LINKS = ['/_/health', '/none', '/_/admin/api/settings', '/_/metrics', '/_/mcp']
const OF_ROOMS = ['/api/health', '/api/metrics']

// Container networking sets `route_localnet`, with which packets for 127.0.0.1 may come from
// another machine.
describe.skipIf(!HAS_NETWORKS)('a machine whose loopback address is reachable from a neighbour', () => {
  let network: Network
  beforeAll(() => {
    network = new Network()
    network.join('service', SERVICE)
    network.join('neighbour', NEIGHBOUR)
    for (const name of ['service', 'neighbour']) {
      run(name, 'sysctl', '-qw', 'net.ipv4.conf.eth0.route_localnet=1')
      run(name, 'sysctl', '-qw', 'net.ipv4.conf.all.rp_filter=0', 'net.ipv4.conf.eth0.rp_filter=0')
    }
    run('neighbour', 'ip', 'addr', 'del', '127.0.0.1/8', 'dev', 'lo')
    run('neighbour', 'ip', 'route', 'add', '127.0.0.1', 'via', SERVICE, 'dev', 'eth0', 'src', NEIGHBOUR)
    run('service', 'ip', '-6', 'addr', 'add', `${IPV6_NEIGHBOUR}/128`, 'dev', 'lo', 'nodad')
  })
  afterAll(() => network.remove())

  function run(machine: string, ...command: string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(network.at(machine, ...command))
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
    return stdout.toString()
  }

  interface From {
    machine?: string
    address?: string
    headers?: Record<string, string>
  }

  function ask(origin: string, paths: readonly string[], from: From = {}): number[] {
    const { machine = 'service', address = '', headers = {} } = from
    const script = [process.execPath, '-e', ASK, origin, address, JSON.stringify(headers)]
    return JSON.parse(run(machine, ...script, ...paths)) as number[]
  }

  async function start(command: string, ready: RegExp, environment = {}): Promise<Service> {
    const workspace = new Workspace(environment, network.at('service', ...LATCHKEY))
    const service = await workspace.start([command], ready)
    afterAll(async () => {
      await service.stop()
      workspace.remove()
    })
    return service
  }

  test('serves it short URLs and health, but not the admin side, metrics or MCP', async () => {
    const service = await start('start', /--title "First key"/)
    const [links, rooms] = [service.originOf('links'), service.originOf('rooms')]
    expect(ask(links, OF_LINKS)).toEqual([200, 404, 200, 200, 405])
    expect(ask(rooms, OF_ROOMS)).toEqual([200, 200])
    const neighbour = { machine: 'neighbour' }
    expect(ask(links, OF_LINKS, neighbour)).toEqual([200, 404, 403, 404, 403])
    expect(ask(rooms, OF_ROOMS, neighbour)).toEqual([200, 404])
  })

  test('accepts an identity on ::1 from the trusted proxy only', async () => {
    const service = await start('links', /"listening"/, {
      LINKS_HOST: '::1',
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
      TRUSTED_PROXIES: IPV6_NEIGHBOUR,
    })
    const headers = { 'X-Forwarded-Email': 'ann@example.com' }
    const statusFrom = (address: string) =>
      ask(service.originOf('links'), ['/_/admin/api/settings'], { address, headers })
    expect([...statusFrom(IPV6_NEIGHBOUR), ...statusFrom('::1')]).toEqual([200, 401])
  })
})
