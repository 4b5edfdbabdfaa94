import { rememberUtm } from '../../../link-dialogs/utm.ts'
import type { Parts, Destination } from '../../../parts/behaviour/types.ts'
import { percentagesOf, weightsOf } from '../../../parts/behaviour/percentages.ts'

interface PartDraft {
  url: string
  /** In percent; null while the field is empty. */
  share: number | null
  label: string
}

/** Where a rule or the link leads, as a form has it. */
export interface DestinationDraft {
  isSplit: boolean
  /** The only destination, without a split. */
  url: string
  parts: readonly PartDraft[]
  /** A visitor stays with the same part for the day. */
  isSticky: boolean
}

export const MAX_PARTS = 10

export function toDraft(destination: Destination): DestinationDraft {
  if (typeof destination === 'string')
    return { isSplit: false, url: destination, parts: newParts(destination), isSticky: true }
  const { split, sticky } = destination
  const shares = percentagesOf(split.map(({ weight }) => weight))
  const parts = split.map(({ url, label = '' }, index) => ({ url, share: shares[index] ?? null, label }))
  return { isSplit: true, url: split[0]?.url ?? '', parts, isSticky: sticky !== 'visit' }
}

/** Two equal parts, of which the first is the present destination. */
function newParts(url: string): PartDraft[] {
  return [
    { url, share: 50, label: '' },
    { url: '', share: 50, label: '' },
  ]
}

/** Offers the UTM values of these destinations for later ones. */
export function rememberDestinations({ isSplit, url, parts }: DestinationDraft): void {
  for (const each of isSplit ? parts.map((part) => part.url) : [url]) rememberUtm(each)
}

export const totalOf = ({ parts }: DestinationDraft): number =>
  parts.reduce((sum, { share }) => sum + (share ?? 0), 0)

export function shareEqually(draft: DestinationDraft, parts: readonly PartDraft[]): DestinationDraft {
  const shares = percentagesOf(parts.map(() => 1))
  return { ...draft, parts: parts.map((part, index) => ({ ...part, share: shares[index] ?? null })) }
}

export function isComplete(draft: DestinationDraft): boolean {
  if (!draft.isSplit) return draft.url.trim() !== ''
  return (
    totalOf(draft) === 100 && draft.parts.every(({ url, share }) => url.trim() !== '' && (share ?? 0) > 0)
  )
}

export function toDestination(draft: DestinationDraft, before: Destination | undefined): Destination {
  if (!draft.isSplit) return draft.url
  return { split: toParts(draft, typeof before === 'object' ? before.split : undefined), ...stickyOf(draft) }
}

export function toParts({ parts }: DestinationDraft, before: Parts | undefined): Parts {
  const weights = weightsOf(
    parts.map(({ share }) => share ?? 0),
    before,
  )
  return parts.map(({ url, label }, index) => ({
    url,
    weight: weights[index] ?? 1,
    ...(label.trim() !== '' && { label: label.trim() }),
  }))
}

/** `day` is the default. */
export const stickyOf = ({ isSticky }: DestinationDraft) => (isSticky ? {} : { sticky: 'visit' as const })
