// The presets of setup are the recipes of docs/rooms/providers.md.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '@latchkey/rooms/settings/settings'
import { parseEnvFile } from '../src/setup/env-file.ts'
import {
  type Named,
  PRESET_NAMES,
  type Preset,
  type PresetName,
  presets,
  registrationSteps,
} from '../src/setup/presets.ts'
import { questions } from '../src/setup/questions.ts'

const PAGE = readFileSync(join(import.meta.dir, '../../../docs/rooms/providers.md'), 'utf8')
const ORIGIN = 'https://rooms.example.com'
const ORGANIZATION = {
  ZITADEL_ORGANIZATION: '270194573829619713',
  ZITADEL_DOMAIN: 'example.login.example.com',
}

/** The answers with which a preset is its recipe, beyond the defaults and the issuer. */
const ANSWERS: Readonly<Partial<Record<PresetName, Named>>> = {
  dex: { GROUP_OF_PEOPLE: 'example:rooms', GROUP_OF_ADMINISTRATORS: 'example:rooms-admins' },
  entra: { TENANT: '9122040d-6c67-4c5b-b112-36a304b66dad' },
  github: { ORGANIZATION: 'example' },
  gitlab: { GROUP_OF_PEOPLE: 'example' },
  google: { WORKSPACE_DOMAIN: 'example.com' },
  zitadel: { ZITADEL_PROJECT: '284713350982148313', ...ORGANIZATION },
}

const sectionOf = (title: string) => PAGE.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

function recipeOf(title: string): Record<string, string> {
  const [, block = ''] = /^```sh\n# .+\n([\s\S]*?)^```/m.exec(sectionOf(title)) ?? []
  return { ...parseEnvFile(block).values }
}

describe('O2.6: the preset of', () => {
  for (const name of PRESET_NAMES.filter((each) => each !== 'oidc')) {
    const preset: Preset = presets[name]
    const recipe = recipeOf(preset.title)
    const answers = {
      ...preset.defaults,
      ...(preset.asks.includes('OIDC_ISSUER') ? { OIDC_ISSUER: recipe['OIDC_ISSUER'] ?? '' } : {}),
      ...ANSWERS[name],
    }

    test(`${name} has the settings of its recipe`, () => {
      const { AUTH_CLIENT_ID, AUTH_CLIENT_SECRET, ALLOWED_HOSTS, AUTH_PROVIDER_LABEL, ...settings } = recipe
      const { AUTH_PROVIDER_LABEL: label, ...own } = preset.settings(answers)
      const issuer = preset.asks.includes('OIDC_ISSUER') ? { OIDC_ISSUER: settings['OIDC_ISSUER'] } : {}
      expect({ ...own, ...issuer } as Record<string, string>).toEqual(settings)
      expect([AUTH_CLIENT_SECRET, label, AUTH_PROVIDER_LABEL]).toEqual([
        expect.any(String),
        expect.any(String),
        expect.any(String),
      ])
      expect(ALLOWED_HOSTS).toBe(ORIGIN)
      const clientId = preset.defaults?.['AUTH_CLIENT_ID']
      if (clientId !== undefined) expect(clientId).toBe(AUTH_CLIENT_ID ?? '')
    })

    test(`${name} registers the addresses of Rooms, in the words of its recipe`, () => {
      const steps = registrationSteps(name, ORIGIN, answers).join('\n')
      expect(steps).toContain(`${ORIGIN}/api/auth/callback`)
      const { provider } = readSettings({ ...recipe })
      const hasBackchannel = provider.mode !== 'oauth2' && provider.backchannelLogout
      expect(steps.includes('/api/auth/backchannel-logout')).toBe(hasBackchannel)
      const words = [...sectionOf(preset.title).matchAll(/(?<![\w*])_([^_\n]+)_(?!\w)/g)].map(
        ([, word = '']) => word,
      )
      const common = words.filter(
        (word) =>
          !/^(Developer mode|User Attribute|Unmanaged|Only admin|Assignment|Groups assigned)/.test(word),
      )
      expect(common.filter((word) => !steps.toLowerCase().includes(word.toLowerCase()))).toEqual([])
    })
  }

  test('any other provider asks for its issuer alone', () => {
    expect(presets.oidc.asks).toEqual(['OIDC_ISSUER', 'AUTH_REQUIRE'])
  })
})

test('O2.6: docs/operate/setup.md names every question, and what each provider needs', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/operate/setup.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+) \|$/gm)].map(([, name = '', cell = '']) => [
    name,
    [...cell.matchAll(/`(\w+)`/g)].map(([, ask = '']) => ask),
  ])
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(PRESET_NAMES.map((name) => [name, [...presets[name].asks]])),
  )
  expect(Object.values(questions).filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([])
})

test('O2.6: groups with separators of AUTH_REQUIRE admit exactly themselves', () => {
  for (const group of ['a,b', 'a|b', 'a=b', 'a\\b', 'CN=Staff, OU=a|b']) {
    const answers = { GROUP_OF_PEOPLE: group, GROUP_OF_ADMINISTRATORS: 'admins' }
    const env = {
      ...presets.authentik.settings(answers),
      OIDC_ISSUER: 'https://login.example.com',
      AUTH_CLIENT_ID: 'x',
      ALLOWED_HOSTS: ORIGIN,
    }
    const [condition, ...more] = readSettings(env).provider.conditions
    expect([condition && 'values' in condition && condition.values, more]).toEqual([[group, 'admins'], []])
  }
})
