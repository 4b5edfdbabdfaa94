import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Answers } from './answers.ts'
import type { Change } from './changes.ts'
import { type Machine, type Plan, secretPath } from './plan.ts'
import { type Preset, presets } from './presets.ts'
import type { ProxyName } from './questions.ts'

/** What only a person can do before the services work, after the checks. */
export function stepsLeft(
  answers: Answers,
  machine: Machine,
  plan: Plan,
  changes: readonly Change[],
): string[] {
  return [
    ...changes.flatMap(({ file, action, target }) => {
      if (action === 'beside')
        return [`files: ${file.path} was changed by hand: merge ${target} into it, and delete ${target}`]
      return action === 'line' ? [`files: add the line "${file.line}" to ${file.path}`] : []
    }),
    ...missingSecrets(machine, plan),
    ...missingFolder(answers, machine),
    ...missingCertificate(answers, machine),
  ]
}

function missingSecrets({ install, root }: Machine, { secrets }: Plan): string[] {
  return secrets
    .filter(({ content }) => content === undefined)
    .map(
      ({ file }) =>
        `secret: write the client secret of the provider into ${join(root, secretPath(install, file))}, for its owner only`,
    )
}

function missingFolder({ data }: Answers, { install, root }: Machine): string[] {
  if (install === 'compose' || root !== '/' || data.startsWith('/var/lib/latchkey/') || existsSync(data))
    return []
  return [`data: create the folder: install -d -o latchkey -g latchkey -m 750 ${data}`]
}

function missingCertificate(
  { certificate, links, rooms, email }: Answers,
  { proxy, root }: Machine,
): string[] {
  const folder = join(root, 'etc/letsencrypt/live', links)
  if (proxy !== 'nginx' || certificate !== null || existsSync(folder)) return []
  const names = `-d ${links} -d ${rooms}`
  return [
    `certificate: before nginx starts: certbot certonly --webroot -w /var/www/html -m ${email} ${names}`,
  ]
}

/** The commands that start the services, unless they were started, and what to do then. */
export function nextSteps(
  { links, rooms, provider, email, texts }: Answers,
  machine: Machine,
  changes: readonly Change[],
  isStarted: boolean,
): string[] {
  const preset: Preset = presets[provider]
  const { title, verifiesNoEmail } = preset
  const settings = preset.settings(texts)
  const first = settings['ADMIN_BOOTSTRAP'] === 'off' ? '' : ' first: the first person is the administrator'
  return [
    ...(machine.install === 'compose' ? composeSteps(machine) : systemdSteps(machine, changes, isStarted)),
    ...(machine.proxy === 'none' ? ['Configure your proxy as docs/admin-access/rooms.md says.'] : []),
    `Open https://${rooms} and sign in${first}. The admin side of Links is https://${links}/_/admin.`,
    ...(verifiesNoEmail
      ? [
          `${title} verifies no email address: put the id of your account, from its page in Rooms, into LINKS_ADMINS.`,
        ]
      : []),
    ...(machine.install === 'compose' ? [] : commandSteps(email)),
    `latchkey setup${machine.root === '/' ? '' : ` --write ${machine.root}`} --check says what has drifted, at any time.`,
  ]
}

function composeSteps({ root, proxy }: Machine): string[] {
  return [
    `docker compose -f ${join(root, 'compose.yaml')} up -d`,
    ...(proxy === 'caddy' || proxy === 'none' ? [] : [`Give the configuration in ${root} to ${proxy}.`]),
  ]
}

function systemdSteps({ root, proxy }: Machine, changes: readonly Change[], isStarted: boolean): string[] {
  const commands = startCommands(proxy, changes).map((command) => command.join(' '))
  return [
    ...(root === '/' ? [] : [`Copy the files in ${root} to / of the server. There:`]),
    ...(proxy === 'traefik' ? [TRAEFIK] : []),
    ...(isStarted ? [] : [commands.join(' && ')]),
  ]
}

/** The commands that start both services, and give the proxy its configuration. */
export function startCommands(proxy: ProxyName, changes: readonly Change[]): string[][] {
  const hasUnits = changes.some(
    ({ file, action }) => file.path.startsWith('/etc/sysusers.d') && action !== 'same',
  )
  // systemd holds the ports, and restarts nothing of its own accord.
  const hasSockets = changes.some(
    ({ file, action }) => /\.socket\b/.test(file.path) && (action === 'create' || action === 'update'),
  )
  const services = ['latchkey-links', 'latchkey-rooms']
  const sockets = hasSockets ? services.map((name) => `${name}.socket`) : []
  return [
    ...(hasUnits ? [['systemd-sysusers'], ['systemd-tmpfiles', '--create', 'latchkey.conf']] : []),
    ['systemctl', 'daemon-reload'],
    ['systemctl', 'enable', ...services],
    ['systemctl', 'restart', ...sockets, ...services],
    ...(proxy === 'none' ? [] : [['systemctl', 'reload-or-restart', proxy]]),
  ]
}

/** Commands of the server, which root runs. */
function commandSteps(email: string): string[] {
  return [
    `An API key: latchkey keys create --identity ${email} --scope create,read --title "First key"`,
    'A backup of everything: latchkey backup /var/backups/latchkey/first.tar',
  ]
}

const TRAEFIK =
  'Traefik needs in its own configuration: the file provider for /etc/traefik/dynamic, the entry point websecure, and the certificate resolver letsencrypt.'
