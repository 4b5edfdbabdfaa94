import type { PlannedFile, Secret, ServiceName } from './plan.ts'

/** The address of the proxy in the network of the containers, and that of the machine. */
export const PROXY_ADDRESS = '172.31.80.2'
export const GATEWAY_ADDRESS = '172.31.80.1'

interface Compose {
  readonly version: string
  /** Ports on which the services listen. */
  readonly ports: Readonly<Record<ServiceName, number>>
  readonly secrets: readonly Secret[]
  /** Whether Caddy runs in a container beside the services. */
  readonly hasCaddy: boolean
  /** The host of Rooms, which Links reaches through Caddy. */
  readonly rooms: string
  /** Paths on this machine that containers read: certificates, and the authority of the provider. */
  readonly certificates: readonly string[]
  readonly authority: string | null
}

/** A Compose file, with the name of the image beside it. */
export function composeFiles(compose: Compose): PlannedFile[] {
  const { version, secrets, hasCaddy } = compose
  const lines = [
    '# Written by latchkey setup.',
    'name: latchkey',
    '',
    ...COMMON,
    '',
    'services:',
    ...serviceLines('links', compose),
    '',
    ...serviceLines('rooms', compose),
    ...(hasCaddy ? ['', ...caddyLines(compose)] : []),
    '',
    'secrets:',
    ...secrets.map(({ file }) => `  ${file}: { file: ./secrets/${file} }`),
    '',
    'volumes:',
    ...['links', 'rooms', ...(hasCaddy ? ['certificates', 'proxy'] : [])].map((name) => `  ${name}:`),
    '',
    ...NETWORKS,
  ]
  return [
    { path: '/.env', text: `LATCHKEY_IMAGE=latchkey:${version}\n` },
    { path: '/compose.yaml', text: `${lines.join('\n')}\n` },
  ]
}

const COMMON = `x-latchkey: &latchkey
  image: \${LATCHKEY_IMAGE}
  restart: unless-stopped
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']
  # Longer than the ten seconds that a shutdown may take.
  stop_grace_period: 15s
  networks: [front]
  deploy:
    resources:
      limits: { cpus: '2', memory: 1g, pids: 128 }
  logging:
    driver: json-file
    options: { max-size: 20m, max-file: '5' }`.split('\n')

const NETWORKS = `networks:
  front:
    ipam:
      # Containers get addresses of the upper half. The proxy's own address is therefore free whenever it starts.
      config: [{ subnet: 172.31.80.0/24, ip_range: 172.31.80.128/25, gateway: ${GATEWAY_ADDRESS} }]`.split(
  '\n',
)

function serviceLines(service: ServiceName, { secrets, ports, hasCaddy, authority }: Compose): string[] {
  const own = secrets.filter(({ settings }) => settings[service] !== undefined)
  const environment = own.flatMap(({ file, settings, dependents }) => [
    `      ${settings[service]}_FILE: /run/secrets/${file}`,
    ...Object.entries(dependents?.[service] ?? {}).map(([name, value]) => `      ${name}: ${value}`),
  ])
  return [
    `  ${service}:`,
    '    <<: *latchkey',
    `    command: [${service}]`,
    `    env_file: ./${service}.env`,
    '    environment:',
    ...environment,
    `    secrets: [${own.map(({ file }) => file).join(', ')}]`,
    ...volumes([`${service}:/data`, ...(authority === null ? [] : [`${authority}:${authority}:ro`])]),
    ...(hasCaddy ? [] : [`    ports: ['127.0.0.1:${ports[service]}:${ports[service]}']`]),
    ...health(`/latchkey, health, --service, ${service}`),
  ]
}

function volumes(mounts: readonly string[]): string[] {
  return ['    volumes:', ...mounts.map((mount) => `      - ${mount}`)]
}

function health(command: string): string[] {
  return [
    '    healthcheck:',
    `      test: [CMD, ${command}]`,
    '      interval: 30s',
    '      timeout: 5s',
    '      start_period: 60s',
    '      start_interval: 2s',
  ]
}

function caddyLines({ certificates, rooms }: Compose): string[] {
  return [
    '  proxy:',
    '    image: caddy:2.10-alpine',
    '    restart: unless-stopped',
    '    depends_on: [links, rooms]',
    ...volumes([
      './Caddyfile:/etc/caddy/Caddyfile:ro',
      'certificates:/data',
      'proxy:/config',
      ...certificates.map((path) => `${path}:${path}:ro`),
    ]),
    "    ports: ['80:80', '443:443', '443:443/udp']",
    '    networks:',
    `      front: { ipv4_address: ${PROXY_ADDRESS}, aliases: [${rooms}] }`,
    '    read_only: true',
    '    tmpfs: [/tmp]',
    '    cap_drop: [ALL]',
    '    cap_add: [NET_BIND_SERVICE]',
    "    security_opt: ['no-new-privileges:true']",
    '    deploy:',
    '      resources:',
    "        limits: { cpus: '1', memory: 256m, pids: 128 }",
  ]
}
