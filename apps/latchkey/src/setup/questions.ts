import { shortHost } from '@latchkey/links/settings/kinds'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { declarations as roomsDeclarations } from '@latchkey/rooms/settings/declarations'
import { type Kind, oneOf } from '@latchkey/settings/kinds'
import type { Declaration, Declarations } from '@latchkey/settings/settings'
import { findNearest } from '@latchkey/settings/unknown'
import { PRESET_NAMES } from './presets.ts'

export const INSTALLATIONS = ['systemd', 'compose'] as const
export const PROXIES = ['caddy', 'nginx', 'traefik', 'none'] as const
export type Installation = (typeof INSTALLATIONS)[number]
export type ProxyName = (typeof PROXIES)[number]

/** Characters that configuration files of proxies, YAML and units read as themselves. */
const SAFE_PATH = /^\/(?!\/)[\w.+@/-]*$/

function absolutePath(): Kind<string> {
  return {
    accepts: 'an absolute path of letters, digits and . _ + @ - /, without .. in it',
    parse: (value) =>
      SAFE_PATH.test(value) && !value.split('/').includes('..') ? value.replace(/(?<=.)\/$/, '') : undefined,
  }
}

/** The units hide these folders from the services. */
const HIDDEN_FOLDER = /^\/(?:home|root|run\/user)(?:\/|$)/

function dataFolder(): Kind<string> {
  const path = absolutePath()
  return {
    accepts: `${path.accepts}, and outside of /home, /root and /run/user`,
    parse: (value) => (HIDDEN_FOLDER.test(value) ? undefined : path.parse(value)),
  }
}

function emailAddress(): Kind<string> {
  return {
    accepts: 'an email address',
    parse: (value) => (/^[\w.%+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(value) ? value : undefined),
  }
}

function pattern(accepts: string, expression: RegExp): Kind<string> {
  return { accepts, parse: (value) => (expression.test(value) ? value : undefined) }
}

/** A word of a list. The message of a misspelt one names the nearest. */
function wordOf<const Words extends readonly string[]>(words: Words): Kind<Words[number]> {
  const kind = oneOf(words)
  return {
    ...kind,
    findFault(value) {
      const near = findNearest(value.toLowerCase(), words)
      return near && `must be ${kind.accepts}, not ${JSON.stringify(value)}; did you mean ${near}?`
    },
  }
}

/** A group or role. Rooms escapes it in AUTH_REQUIRE. */
const group = pattern('the name of a group, of at most 255 characters', /^(?!\s)[^\p{C}]{1,255}(?<!\s)$/u)

/** The five questions. */
const main = {
  links: {
    name: 'HOST_OF_LINKS',
    kind: shortHost(),
    sentence: 'Host name of short links',
    example: 'go.example.com',
  },
  rooms: {
    name: 'HOST_OF_ROOMS',
    kind: shortHost(),
    sentence: 'Host name of Rooms',
    example: 'rooms.example.com',
  },
  provider: {
    name: 'PROVIDER',
    kind: wordOf(PRESET_NAMES),
    sentence: 'Who signs people in',
    example: 'keycloak',
  },
  email: {
    name: 'EMAIL',
    kind: emailAddress(),
    sentence: 'Your email address, for certificates and as the first administrator',
    example: 'ann@example.com',
  },
  data: {
    name: 'DATA',
    kind: dataFolder(),
    default: '/var/lib/latchkey/data',
    sentence: 'Folder of databases and files',
    example: '/srv/latchkey',
  },
} satisfies Declarations

/** Questions about the machine. Setup finds out the answers itself, unless they are given. */
const machine = {
  install: {
    name: 'INSTALL',
    kind: wordOf(INSTALLATIONS),
    whenUnset: 'systemd if it runs here, else compose',
    sentence: 'How the services run',
    example: 'systemd',
  },
  proxy: {
    name: 'PROXY',
    kind: wordOf(PROXIES),
    whenUnset: 'the one that is installed, else caddy',
    sentence: 'Proxy in front, which has the certificates',
    example: 'caddy',
  },
  certificate: {
    name: 'CERTIFICATE',
    kind: absolutePath(),
    whenUnset: 'the proxy gets one',
    sentence: 'Certificate of both names with its chain (PEM)',
    example: '/etc/ssl/latchkey.pem',
  },
  certificateKey: {
    name: 'CERTIFICATE_KEY',
    kind: absolutePath(),
    whenUnset: 'required with CERTIFICATE',
    sentence: 'Key of that certificate (PEM)',
    example: '/etc/ssl/latchkey.key',
  },
  authority: {
    name: 'AUTHORITY',
    kind: absolutePath(),
    whenUnset: 'public authorities',
    sentence: "Certificate of the provider's own authority (PEM)",
    example: '/etc/ssl/our-ca.pem',
  },
} satisfies Declarations

/** Questions that depend on the provider. */
const ofProviders = {
  admittedGroup: {
    name: 'GROUP_OF_PEOPLE',
    kind: group,
    sentence: 'Group or role of the people who may sign in',
    example: 'rooms',
  },
  adminGroup: {
    name: 'GROUP_OF_ADMINISTRATORS',
    kind: group,
    sentence: 'Group or role of the administrators',
    example: 'rooms-admins',
  },
  tenant: {
    name: 'TENANT',
    kind: pattern('the id of a tenant (a UUID)', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    sentence: 'Directory (tenant) ID',
    example: '9122040d-6c67-4c5b-b112-36a304b66dad',
  },
  organization: {
    name: 'ORGANIZATION',
    kind: pattern('the name of an organization, as in its URL', /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?$/i),
    sentence: 'Organization whose members may sign in',
    example: 'example',
  },
  workspaceDomain: {
    name: 'WORKSPACE_DOMAIN',
    kind: shortHost(),
    sentence: 'Domain of your Google Workspace',
    example: 'example.com',
  },
  zitadelProject: {
    name: 'ZITADEL_PROJECT',
    kind: pattern('digits', /^\d{1,32}$/),
    sentence: 'Resource ID of the project',
    example: '284713350982148313',
  },
  zitadelOrganization: {
    name: 'ZITADEL_ORGANIZATION',
    kind: pattern('digits', /^\d{1,32}$/),
    sentence: 'Resource ID of your organization',
    example: '270194573829619713',
  },
  zitadelDomain: {
    name: 'ZITADEL_DOMAIN',
    kind: shortHost(),
    sentence: 'Primary domain of your organization',
    example: 'example.login.example.com',
  },
} satisfies Declarations

export const questions = { ...main, ...machine, ...ofProviders }
export const MAIN_QUESTIONS: readonly Declaration<unknown>[] = Object.values(main)
export const PROVIDER_QUESTIONS: readonly Declaration<unknown>[] = Object.values(ofProviders)

/** All settings of both services by name. */
export const settingsByName: ReadonlyMap<string, Declaration<unknown>> = new Map(
  [...Object.values(linksDeclarations), ...Object.values(roomsDeclarations)].map((each) => [each.name, each]),
)
const questionsByName = new Map<string, Declaration<unknown>>(
  Object.values(questions).map((each) => [each.name, each]),
)

/** The question or setting of a name. */
export function declarationOf(name: string): Declaration<unknown> {
  const declaration = questionsByName.get(name) ?? settingsByName.get(name)
  if (declaration === undefined) throw new TypeError(`There is no question ${name}`)
  return declaration
}
