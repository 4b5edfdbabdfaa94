import type { CompleteRow } from '../../apps/links/src/transfer/store.ts'

/** 2026-11-15 12:34:56 UTC. */
export const NOW = Date.UTC(2026, 10, 15, 12, 34, 56) / 1000

const SYLLABLES =
  'ka ri mo ten shi lu ver dan pro mar ket ing so nal bre fi gro win ter sum mer day pla net ko ral est ion con duc'.split(
    ' ',
  )
const VOCABULARY = 20_000
const DOMAINS = ['com', 'org', 'se', 'io', 'example']
const ALPHABET = Array.from('abcdefghijkmnpqrstuvwxyz23456789')

/** Numbers between 0 and 1, the same in every run. */
function createRandom(): () => number {
  let state = 12_345
  return () => (state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff) / 0x7fff_ffff
}

/**
 * Links as people have them: labels of some words, of which few are frequent, and addresses with
 * hosts, paths and campaigns. Every tenth label has "friday", every tenth "black", and 20 of a
 * million both. "alphaone" and "betatwo" are in three tenths each, never together. "oldword" is in
 * a quarter of the oldest fifth only, and "needlefish" is in one link.
 */
export function* links(count: number): Generator<CompleteRow> {
  const random = createRandom()
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item
  /** An index below the limit, and the smaller the likelier. */
  const rank = (limit: number) => Math.min(limit - 1, Math.floor(limit ** random()) - 1)
  const vocabulary = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: 2 + below(3) }, () => pick(SYLLABLES)).join(''),
  )
  const word = () => vocabulary[rank(VOCABULARY)] as string
  const hosts = Array.from(
    { length: 800 },
    (_, n) => `${pick(['www.', 'shop.', ''])}${vocabulary[n * 7]}.${pick(DOMAINS)}`,
  )
  const owners = Array.from(
    { length: 200 },
    (_, n) => `${vocabulary[n * 11]}.${vocabulary[n * 13]}@example.com`,
  )
  for (let n = 0; n < count; n++) {
    const words = Array.from({ length: 2 + below(4) }, word)
    if (n % 10 === 3) words.push('friday')
    if (n % 10 === 7 || n % 50_000 === 3) words.push('black')
    if (n % 10 < 6) words.push(n % 10 < 3 ? 'alphaone' : 'betatwo')
    if (n < count / 5 && n % 4 === 0) words.push('oldword')
    if (n === 4242) words.push('needlefish')
    const campaign =
      random() < 0.3 ? `?utm_source=${word()}&utm_medium=email&utm_campaign=${words.join('-')}` : ''
    const createdAt = NOW - (count - n) * 60
    const slug = (name: string) => ({ slug: name, createdAt, disabledAt: null })
    const custom = random() < 0.4 ? `${word()}-${word()}-${n.toString(36)}` : undefined
    yield {
      key: null,
      domain: null,
      url: `https://${hosts[rank(hosts.length)]}/${word()}/${word()}-${below(10_000_000)}${campaign}`,
      label: words.map((one) => one.charAt(0).toUpperCase() + one.slice(1)).join(' '),
      expiresAt: n % 20 === 0 ? NOW + (n % 1000) * 3600 - 1_000_000 : null,
      disabledAt: n % 50 === 1 ? createdAt : null,
      createdBy: owners[rank(owners.length)] as string,
      createdAt,
      auto: slug(Array.from({ length: 5 }, () => pick(ALPHABET)).join('') + n.toString(36)),
      custom: custom === undefined ? [] : [slug(custom)],
      legacyPaths: [],
      primary: custom ?? null,
      tags: [],
      behaviour: null,
      notes: [],
    }
  }
}
