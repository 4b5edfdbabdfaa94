import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.ts'

interface Locked {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
}

const FILES = /^(licen[sc]e|copying|notice)/i

/**
 * The licences of all parts of the executables, as their authors require: every package of
 * package-lock.json that is not for development only, with its licence texts, each text once.
 */
export function licences(): string {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const byText = new Map<string, string[]>()
  for (const [path, { version = '', license = 'licence not named', dev, link }] of Object.entries(
    lock.packages,
  )) {
    if (!path.includes('node_modules/') || dev || link) continue
    const name = `${path.replace(/^.*node_modules\//, '')} ${version} (${license})`
    for (const text of textsIn(join(ROOT, path))) byText.set(text, [...(byText.get(text) ?? []), name])
  }
  const parts = [...byText].map(([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}\n`)
  const notice = readFileSync(join(ROOT, 'NOTICE'), 'utf8')
  return `Latchkey is under the MIT licence.\n\n${notice}\nIts executables hold what these packages are made of, under their own licences:\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

/**
 * The licence texts of a package, or only the name of the licence if the package has no text or is
 * not installed here.
 */
function textsIn(folder: string): string[] {
  try {
    const files = readdirSync(folder).filter((name) => FILES.test(name) && !/\.(js|ts|json|map)$/.test(name))
    const texts = files.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').trim())
    return texts.length > 0 ? texts : ['No text comes with these packages.']
  } catch {
    return [
      'These packages are for other platforms than that on which this was made, and their texts are not at hand.',
    ]
  }
}
