import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGES = join(import.meta.dir, '../../../../docs/rooms')

/** The addresses of the two sides in the documentation, and those in a test. */
export type Addresses = Readonly<Record<'https://rooms.example.com' | 'https://login.example.com', string>>

/**
 * The settings that a page instructs its readers to set: its first `sh` block, or the one that
 * begins with this line.
 */
export function documentedSettings(
  page: string,
  addresses: Addresses,
  begins?: string,
): Record<string, string> {
  const lines = documentedBlock(page, 'sh', { addresses, begins }).matchAll(/^([A-Z_]+)=("?)(.*)\2$/gm)
  return Object.fromEntries([...lines].map(([, name = '', , value = '']) => [name, value]))
}

/**
 * The configuration that a page instructs its readers to enter elsewhere: its JSON block with this
 * member first.
 */
export function documentedJson(page: string, first: string, addresses: Addresses): unknown {
  return JSON.parse(documentedBlock(page, 'json', { addresses, begins: `{\n  "${first}":` }))
}

export function documentedBlock(
  page: string,
  language: string,
  { addresses, begins = '' }: { addresses?: Addresses; begins?: string | undefined } = {},
): string {
  const text = readFileSync(join(PAGES, page), 'utf8')
  const [, , content] =
    [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].find(
      ([, each, body]) => each === language && body?.startsWith(begins),
    ) ?? []
  if (content === undefined) throw new Error(`${page} has no ${language} block that begins with "${begins}"`)
  return Object.entries(addresses ?? {}).reduce((body, [name, own]) => body.replaceAll(name, own), content)
}
