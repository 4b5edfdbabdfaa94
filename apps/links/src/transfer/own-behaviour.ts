import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { literalTexts } from '../failures.ts'
import { MAX_PROGRAM, compile } from '../links/behaviour/compile.ts'
import { NewBehaviour } from '../links/behaviour/schema.ts'
import type { RowFields } from './import-row.ts'
import { refuseRow } from './reason.ts'

const Exported = z.object({
  behaviour: z.looseObject({ password: z.unknown().optional(), clicks_left: z.unknown().optional() }),
})
const Limit = z.object({ behaviour: z.object({ clicks_left: z.int().min(0).optional() }) })

/**
 * The behaviour of an exported link, as the API returns it. A document that is not valid refuses the
 * row: without it, the link would be open for everyone.
 */
export function ownBehaviour(value: unknown): Pick<RowFields, 'behaviour' | 'clicksUsed'> {
  if (value === undefined || value === null) return {}
  const {
    behaviour: { password = null, clicks_left, ...rest },
  } = parseOrFail(Exported, { behaviour: value }, literalTexts)
  if (password !== null)
    throw refuseRow({ code: 'link_has_password', text: 'password-protected links are not supported' })
  const { password: _, ...behaviour } = parseOrFail(
    z.object({ behaviour: NewBehaviour }),
    { behaviour: rest },
    literalTexts,
  ).behaviour
  if (Buffer.byteLength(compile(behaviour, false) ?? '') > MAX_PROGRAM) {
    const text = `behaviour: takes more than ${MAX_PROGRAM} bytes`
    throw refuseRow({ code: 'field_too_long', field: 'behaviour', max: MAX_PROGRAM, text })
  }
  const { max_clicks: max } = behaviour
  const left = parseOrFail(Limit, { behaviour: { clicks_left } }, literalTexts).behaviour.clicks_left
  return {
    behaviour,
    ...(max !== undefined && left !== undefined && { clicksUsed: Math.max(0, max - left) }),
  }
}

/** The behaviour in a cell: the same document as JSON. */
export function behaviourCell(cell: string): Pick<RowFields, 'behaviour' | 'clicksUsed'> {
  if (cell.trim() === '') return {}
  return ownBehaviour(parseCell(cell))
}

function parseCell(cell: string): unknown {
  try {
    return JSON.parse(cell)
  } catch {
    throw refuseRow({ code: 'field_malformed', field: 'behaviour', text: 'behaviour: is not JSON' })
  }
}
