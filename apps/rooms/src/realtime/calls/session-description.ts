import { failure } from '../../api/failures.ts'
import { KINDS, SOURCES, type Source } from '../../voice/sources.ts'

/**
 * Session descriptions (RFC 8866) of the mesh. Browsers disagree on what a malformed line means, so
 * none is passed on: a description is parsed, and what its recipient gets is written from that.
 * Attributes that are not understood are left out (RFC 8866, 5.13). Candidates travel apart.
 */
export interface SessionDescription {
  readonly id: string
  readonly version: string
  /** Sections in the order of `SOURCES`. */
  readonly sections: readonly MediaSection[]
}

export type DescriptionType = 'offer' | 'answer'

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
type Direction = (typeof DIRECTIONS)[number]

export interface MediaSection {
  readonly direction: Direction
  readonly isBundleOnly: boolean
  /** Payload types, most preferred first. */
  readonly formats: readonly string[]
  readonly ufrag: string
  readonly password: string
  readonly fingerprint: string
  readonly setup: string
  /** Codecs, header extensions and streams, without `a=`. */
  readonly attributes: readonly string[]
}

const MAX_LINES = 400
const LINE = /^[a-z]=[\x20-\x7e]{1,500}$/
const ATTRIBUTE = /^a=([\w-]+)(?::(.+))?$/
const ORIGIN = /^o=\S+ (\d{1,20}) (\d{1,20}) IN IP[46] [\w.:]+$/
const MEDIA = /^m=(audio|video) (\d{1,5}) UDP\/TLS\/RTP\/SAVPF (\d{1,3}(?: \d{1,3})*)$/
const CONNECTION = /^c=IN IP[46] [\w.:]+$/
const BUNDLE = `BUNDLE ${[...SOURCES.keys()].join(' ')}`

/** Values of an attribute; null for one that has none. */
type Grammar = ReadonlyMap<string, RegExp | null>

const FINGERPRINT =
  /^sha-(?:256 [\dA-F]{2}(?::[\dA-F]{2}){31}|384 [\dA-F]{2}(?::[\dA-F]{2}){47}|512 [\dA-F]{2}(?::[\dA-F]{2}){63})$/

const SESSION_GRAMMAR: Grammar = new Map([
  ['group', new RegExp(`^${BUNDLE}$`)],
  ['fingerprint', FINGERPRINT],
])

const CODEC_GRAMMAR: Grammar = new Map([
  ['rtpmap', /^(\d{1,3}) [\w.-]{1,32}\/\d{1,6}(?:\/\d)?$/],
  ['fmtp', /^(\d{1,3}) [\w-]+(?:[=/][\w.,+/-]+)?(?:; ?[\w-]+(?:=[\w.,+/-]+)?)*$/],
  ['rtcp-fb', /^(\d{1,3}|\*) [\w-]+(?: [\w-]+)*$/],
])

/** Attributes of a section that sends. */
const STREAM_GRAMMAR: Grammar = new Map([
  ['msid', /^(?:-|[\w{}-]{1,64}) [\w{}-]{1,64}$/],
  ['ssrc', /^\d{1,10} (?:cname:[\w{}+/-]{1,64}|(?:msid|mslabel|label):[\w{} -]{1,130})$/],
  ['ssrc-group', /^FID \d{1,10} \d{1,10}$/],
])

const EXTENSION_GRAMMAR: Grammar = new Map([
  ['extmap', /^\d{1,4}(?:\/(?:sendrecv|sendonly|recvonly|inactive))? (?:urn:|https?:\/\/)[\w.:/#-]{1,200}$/],
])

/** Attributes that a section has once at most. */
const SINGLE_GRAMMAR: Grammar = new Map<string, RegExp | null>([
  ...DIRECTIONS.map((direction) => [direction, null] as const),
  ['mid', /^\d$/],
  ['bundle-only', null],
  ['ice-ufrag', /^[A-Za-z\d+/]{4,256}$/],
  ['ice-pwd', /^[A-Za-z\d+/]{22,256}$/],
  ['fingerprint', FINGERPRINT],
  ['setup', /^(?:actpass|active|passive)$/],
  ['rtcp-mux', null],
  ['rtcp-rsize', null],
])

const SECTION_GRAMMAR: Grammar = new Map([
  ...SINGLE_GRAMMAR,
  ...CODEC_GRAMMAR,
  ...STREAM_GRAMMAR,
  ...EXTENSION_GRAMMAR,
])

interface Attribute {
  readonly name: string
  readonly value: string
}

/** Throws `forbidden` unless this is a description as the pages of this service make them. */
export function parseSessionDescription(type: DescriptionType, sdp: string): SessionDescription {
  const lines = sdp.split('\r\n')
  require(lines.pop() === '' && lines.length <= MAX_LINES && lines.every((line) => LINE.test(line)))
  const [session = [], ...sections] = splitSections(lines)
  require(sections.length === SOURCES.length)
  const [protocol, origin = '', name, time, ...attributeLines] = session
  const [, id = '', version = ''] = ORIGIN.exec(origin) ?? []
  require(protocol === 'v=0' && id !== '' && name === 's=-' && time === 't=0 0')
  const attributes = parseAttributes(attributeLines, SESSION_GRAMMAR)
  require(valueOf(attributes, 'group') === BUNDLE)
  const fingerprint = valueOf(attributes, 'fingerprint')
  return {
    id,
    version,
    sections: SOURCES.map((source, index) =>
      parseSection(sections[index] ?? [], { type, index, kind: KINDS[source], fingerprint }),
    ),
  }
}

/** The lines before the first media section, and those of each section. */
function splitSections(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]]
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections
}

interface Place {
  type: DescriptionType
  index: number
  kind: string
  /** Fingerprint of the session, for sections without their own. */
  fingerprint: string | undefined
}

function parseSection(lines: readonly string[], { type, index, kind, fingerprint }: Place): MediaSection {
  const [media = '', connection = '', ...attributeLines] = lines
  const [, mediaKind, port, formatList = ''] = MEDIA.exec(media) ?? []
  const formats = formatList.split(' ')
  require(mediaKind === kind && CONNECTION.test(connection) && new Set(formats).size === formats.length)
  const attributes = parseAttributes(attributeLines, SECTION_GRAMMAR)
  for (const name of SINGLE_GRAMMAR.keys())
    require(attributes.filter((attribute) => attribute.name === name).length < 2)
  const has = (name: string) => attributes.some((attribute) => attribute.name === name)
  const read = (name: string, inherited?: string) => {
    const value = valueOf(attributes, name) ?? inherited
    require(value !== undefined)
    return value
  }
  const [direction, otherDirection] = DIRECTIONS.filter(has)
  require(direction !== undefined && otherDirection === undefined)
  const isBundleOnly = has('bundle-only')
  const setup = read('setup')
  require(isBundleOnly === (port === '0') && !(isBundleOnly && type === 'answer'))
  require((setup === 'actpass') === (type === 'offer'))
  require(read('mid') === String(index) && has('rtcp-mux'))
  const isKept = ({ name, value }: Attribute) => {
    if (EXTENSION_GRAMMAR.has(name) || name === 'rtcp-rsize') return true
    // `msid` has the rest.
    if (name === 'ssrc' && !value.includes(' cname:')) return false
    if (STREAM_GRAMMAR.has(name)) return isSending(direction)
    const [format = ''] = value.split(' ')
    // Firefox leaves the feedback of codecs that its section does not list, which Chromium refuses.
    return CODEC_GRAMMAR.has(name) && (format === '*' || formats.includes(format))
  }
  return {
    direction,
    isBundleOnly,
    formats,
    ufrag: read('ice-ufrag'),
    password: read('ice-pwd'),
    fingerprint: read('fingerprint', fingerprint),
    setup,
    attributes: attributes.filter(isKept).map(writeAttribute),
  }
}

/** The attributes that the grammar has. Throws for one whose value it does not have. */
function parseAttributes(lines: readonly string[], grammar: Grammar): Attribute[] {
  return lines.flatMap((line) => {
    const match = ATTRIBUTE.exec(line)
    require(match)
    const [, name = '', value] = match
    const pattern = grammar.get(name)
    if (pattern === undefined) return []
    require(pattern ? pattern.test(value ?? '') : value === undefined)
    return [{ name, value: value ?? '' }]
  })
}

function valueOf(attributes: readonly Attribute[], name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}

const writeAttribute = ({ name, value }: Attribute) => (value === '' ? name : `${name}:${value}`)

export function writeSessionDescription({ id, version, sections }: SessionDescription): string {
  const lines = sections.flatMap((section, index) => [
    `m=${mediaOf(section, index)}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${index}`,
    `a=${section.direction}`,
    ...(section.isBundleOnly ? ['a=bundle-only'] : []),
    `a=ice-ufrag:${section.ufrag}`,
    `a=ice-pwd:${section.password}`,
    'a=ice-options:trickle',
    `a=fingerprint:${section.fingerprint}`,
    `a=setup:${section.setup}`,
    'a=rtcp-mux',
    ...section.attributes.map((attribute) => `a=${attribute}`),
  ])
  const origin = `o=- ${id} ${version} IN IP4 0.0.0.0`
  return ['v=0', origin, 's=-', 't=0 0', `a=group:${BUNDLE}`, ...lines, ''].join('\r\n')
}

function mediaOf({ isBundleOnly, formats }: MediaSection, index: number): string {
  const source = SOURCES[index] ?? 'microphone'
  return `${KINDS[source]} ${isBundleOnly ? 0 : 9} UDP/TLS/RTP/SAVPF ${formats.join(' ')}`
}

/** What a description sends. */
export function sourcesOf({ sections }: SessionDescription): Source[] {
  return SOURCES.filter((_source, index) => isSending(sections[index]?.direction ?? 'inactive'))
}

const isSending = (direction: Direction) => direction.startsWith('send')

function require(isMet: unknown): asserts isMet {
  if (!isMet) throw failure('forbidden')
}
