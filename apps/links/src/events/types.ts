import { changeKinds } from '../changes/kinds.ts'

/** Types of events (L30.1): the kinds of changes, and what happens without a write of a person. */
export const eventTypes = [
  ...changeKinds,
  'link.clicked',
  'link.expired',
  'link.limit_reached',
  'link.imported',
  'plan.pending',
] as const
export type EventType = (typeof eventTypes)[number]
