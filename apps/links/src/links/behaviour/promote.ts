import type { BehaviourDocument } from './schema.ts'

interface Promotion {
  document: BehaviourDocument
  /** The new URL of the link; undefined for a part of a rule. */
  url?: string
}

/**
 * Ends the split with this variant: its URL takes the place of the split. Undefined if no split has
 * such a part.
 */
export function promote(document: BehaviourDocument, variant: string): Promotion | undefined {
  const [, rule = '', part = ''] = /^(\d+)\.(\d+)$/.exec(variant) ?? []
  const at = Number(rule) - 1
  if (at < 0) {
    const { split, sticky: _, ...rest } = document
    const url = split?.[Number(part) - 1]?.url
    return url === undefined ? undefined : { document: rest, url }
  }
  const { rules = [] } = document
  const chosen = rules[at]
  const to = typeof chosen?.to === 'object' ? chosen.to.split[Number(part) - 1]?.url : undefined
  if (!chosen || to === undefined) return undefined
  return { document: { ...document, rules: rules.with(at, { ...chosen, to }) } }
}
