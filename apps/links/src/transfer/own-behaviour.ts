import { z } from 'zod'
import { MAX_PROGRAM, compile } from '../links/behaviour/compile.ts'
import { type BehaviourDocument, MAX_RULES, NewBehaviour } from '../links/behaviour/schema.ts'
import { extend } from './foreign-behaviour.ts'
import type { RowFields } from './import-row.ts'
import { type Reason, fieldDropped } from './reason.ts'

type OwnBehaviour = Pick<RowFields, 'behaviour' | 'clicksUsed' | 'mustDisable' | 'password' | 'notes'>

const Exported = z
  .looseObject({ password: z.unknown(), clicks_left: z.unknown(), rules: z.unknown() })
  .partial()
const Password = z.union([z.string().min(1).max(200), z.literal(true)])
const WholeNumber = z.union([
  z.int(),
  z
    .string()
    .trim()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
const ClicksLeft = z.preprocess((value) => WholeNumber.safeParse(value).data, z.int().min(0))

/** The parts of a behaviour. Later ones are valid only with earlier ones. */
const PARTS = ['split', 'sticky', 'starts_at', 'before_url', 'after_url', 'max_clicks'].concat([
  'confirm_visit',
  'forward_query',
  'parameters',
])
/** Parts without which more visitors would get through than before. */
const GUARDS: ReadonlySet<string> = new Set([
  'behaviour.starts_at',
  'behaviour.max_clicks',
  'behaviour.clicks_left',
])
const UNREADABLE: OwnBehaviour = { mustDisable: true, notes: [fieldDropped('behaviour')] }
const NUMBERS: ReadonlySet<string> = new Set(['starts_at', 'max_clicks'])

/**
 * The behaviour of an exported link, as the API returns it. Parts that are not valid are left out,
 * each with a note; without one that limits its visitors, the link is disabled. A password that is
 * not in the file keeps the link locked.
 */
export function ownBehaviour(value: unknown): OwnBehaviour {
  if (value === undefined || value === null) return {}
  const exported = Exported.safeParse(value)
  if (!exported.success) return UNREADABLE
  const { password: givenPassword, clicks_left: clicksLeft, ...document } = exported.data
  const notes: Reason[] = []
  const behaviour = validWhole(document) ?? validParts(document, notes)
  const left = ClicksLeft.safeParse(clicksLeft)
  if (clicksLeft !== undefined && clicksLeft !== null && !left.success)
    notes.push(fieldDropped('behaviour.clicks_left'))
  const { max_clicks: max } = behaviour
  const hasPassword =
    givenPassword !== undefined && givenPassword !== null && givenPassword !== false && givenPassword !== ''
  return {
    behaviour,
    ...(max !== undefined && left.success && { clicksUsed: Math.max(0, max - left.data) }),
    ...(hasPassword && { password: Password.safeParse(givenPassword).data ?? true }),
    mustDisable: notes.some(({ field }) => field !== undefined && GUARDS.has(field)),
    notes,
  }
}

function validWhole(document: Readonly<Record<string, unknown>>): BehaviourDocument | undefined {
  const { data } = NewBehaviour.safeParse(document)
  return data && Buffer.byteLength(compile(data, false) ?? '') <= MAX_PROGRAM ? data : undefined
}

function validParts(
  { rules, ...fields }: Readonly<Record<string, unknown>>,
  notes: Reason[],
): BehaviourDocument {
  let behaviour: BehaviourDocument = {}
  const dropped = new Set(Object.keys(fields).filter((name) => !PARTS.includes(name)))
  const add = (name: string, part: Readonly<Record<string, unknown>>) => {
    const extended = extend(behaviour, part)
    if (extended) behaviour = extended
    else dropped.add(name)
  }
  const ruleList: unknown[] = Array.isArray(rules) ? rules : []
  for (const rule of ruleList.slice(0, MAX_RULES)) add('rules', { rules: [rule] })
  if (ruleList.length > MAX_RULES || (rules !== undefined && rules !== null && !Array.isArray(rules)))
    dropped.add('rules')
  for (const name of PARTS) {
    const value = fields[name]
    if (value === undefined || value === null) continue
    add(name, { [name]: NUMBERS.has(name) ? (WholeNumber.safeParse(value).data ?? value) : value })
  }
  const names = [...dropped].slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH))
  notes.push(...names.map((name) => fieldDropped(`behaviour.${name}`)))
  return behaviour
}

/** Names in notes about unknown fields. */
const [MAX_NAMES, MAX_NAME_LENGTH] = [16, 40]

/** The behaviour in a cell: the same document as JSON. */
export function behaviourCell(cell: string): OwnBehaviour {
  if (cell.trim() === '') return {}
  try {
    return ownBehaviour(JSON.parse(cell))
  } catch {
    return UNREADABLE
  }
}
