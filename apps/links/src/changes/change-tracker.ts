import type { Database } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { HistoryTable, Tables, Tx } from '../db/tables.ts'
import { bundleKind, linkKind } from './kinds.ts'
import type { ChangeSource } from './source.ts'
import {
  type CurrentStates,
  type Membership,
  type TrackedMembership,
  type State,
  type SubjectVersions,
  findMemberships,
  membersBefore,
  membershipKey,
  readBundleStates,
  readLinkStates,
  readMembers,
  versionsOf,
} from './states.ts'
import { type NewChange, insertChanges } from './store.ts'
import { type Difference, findDifference } from './values.ts'

/** Links whose states are compared between two turns of the event loop. */
const LINKS_PER_TURN = 50

const trackers = new WeakMap<Tx, ChangeTracker>()

/** The changes of a transaction, which it has stored. */
export interface StoredChanges {
  dialect: DialectName
  source: ChangeSource
  changes: readonly NewChange[]
  /** The links and bundles of the changes after them. */
  current: CurrentStates
}

/** A step of each transaction that has stored its changes. It may refuse them. */
export type ChangeStep = (tx: Tx, stored: StoredChanges) => Promise<void>

export type Writer = Pick<Database<Tables>, 'dialect' | 'write'>

/**
 * Returns a writer whose transactions store a change for each link and bundle that they write
 * (L29.1), and then run these steps.
 */
export function trackChanges(
  { dialect, write }: Writer,
  source: ChangeSource,
  steps: readonly ChangeStep[],
): Writer {
  return {
    dialect,
    write: (work) =>
      write(async (tx) => {
        // A part of a transaction that has a tracker already.
        if (trackers.has(tx)) return work(tx)
        const tracker = new ChangeTracker(tx, { dialect, source, steps })
        trackers.set(tx, tracker)
        const result = await work(tx)
        await tracker.store()
        return result
      }),
  }
}

interface ChangeTrackerOptions {
  dialect: DialectName
  source: ChangeSource
  steps: readonly ChangeStep[]
}

/** The subjects that a transaction is about to write, with their states before. */
class ChangeTracker {
  readonly #tx: Tx
  readonly #dialect: DialectName
  readonly #source: ChangeSource
  readonly #steps: readonly ChangeStep[]
  /** States before the transaction; undefined for links that it creates. */
  readonly #links = new Map<number, State | undefined>()
  readonly #bundles = new Map<number, State | undefined>()
  readonly #members = new Map<string, TrackedMembership>()
  #planId: number | null
  /** The states that were read last, after the writes. */
  readonly #current = { links: new Map<number, State>(), bundles: new Map<number, State>() }

  constructor(tx: Tx, { dialect, source, steps }: ChangeTrackerOptions) {
    this.#tx = tx
    this.#dialect = dialect
    this.#source = source
    this.#steps = steps
    this.#planId = source.planId ?? null
  }

  setPlan(id: number): void {
    this.#planId = id
  }

  async trackLinks(ids: readonly number[]): Promise<void> {
    const newIds = ids.filter((id) => !this.#links.has(id))
    if (newIds.length === 0) return
    const states = await readLinkStates(this.#tx, this.#dialect, newIds)
    for (const id of newIds) this.#links.set(id, this.#withFirstBundles(id, states.get(id)))
  }

  async trackBundle(id: number, willBeDeleted: boolean): Promise<void> {
    const tracked = this.#bundles.get(id)
    if (this.#bundles.has(id) && !(willBeDeleted && tracked)) return
    const state = tracked ?? (await readBundleStates(this.#tx, this.#dialect, [id])).get(id)
    const moved = this.#movedOf({ bundle_id: id })
    const members = willBeDeleted ? await readMembers(this.#tx, this.#dialect, id, moved) : {}
    this.#bundles.set(id, state && { values: { ...state.values, ...members } })
  }

  /** The memberships of the subject that the transaction has added or removed so far. */
  #movedOf(subject: Partial<Membership>): TrackedMembership[] {
    return [...this.#members.values()].filter(
      ({ bundle_id, link_id }) => bundle_id === subject.bundle_id || link_id === subject.link_id,
    )
  }

  /** The bundles that the link was in before the transaction are those of its state before. */
  #withFirstBundles(id: number, state: State | undefined): State | undefined {
    const moved = this.#members.size === 0 ? [] : this.#movedOf({ link_id: id })
    if (!state || moved.length === 0) return state
    const { bundles: present = [], ...values } = state.values as { bundles?: number[] }
    const bundles = membersBefore(present, moved, 'bundle_id')
    return { ...state, values: { ...values, ...(bundles.length > 0 && { bundles }) } }
  }

  trackCreatedLink(id: number): void {
    this.#links.set(id, undefined)
  }

  trackCreatedBundle(id: number): void {
    this.#bundles.set(id, undefined)
  }

  async trackMemberships(pairs: readonly Membership[]): Promise<void> {
    const newPairs = pairs.filter((pair) => !this.#members.has(membershipKey(pair)))
    if (newPairs.length === 0) return
    const existing = await findMemberships(this.#tx, this.#dialect, newPairs)
    for (const pair of newPairs) {
      const key = membershipKey(pair)
      this.#members.set(key, { ...pair, wasMember: existing.has(key) })
    }
  }

  requireLink(id: number): void {
    if (!this.#links.has(id)) throw new Error('A link is written whose state before is unknown')
  }

  /** Stores a change for each thing that now differs, or has another version. */
  async store(): Promise<void> {
    const changes: NewChange[] = []
    for await (const part of this.#readParts()) {
      await insertChanges(this.#tx, part)
      changes.push(...part)
    }
    const stored = { dialect: this.#dialect, source: this.#source, changes, current: this.#current }
    for (const step of this.#steps) await step(this.#tx, stored)
  }

  /** The changes so far, in the order in which they will be stored. */
  async read(): Promise<NewChange[]> {
    return (await Array.fromAsync(this.#readParts())).flat()
  }

  /** The versions that the transaction has read before its writes. */
  async readVersions(): Promise<SubjectVersions> {
    const members = [...this.#members.values()]
    const links = await readLinkStates(this.#tx, this.#dialect, [
      ...new Set(members.map((pair) => pair.link_id).filter((id) => !this.#links.has(id))),
    ])
    const bundles = await readBundleStates(this.#tx, this.#dialect, [
      ...new Set(members.map((pair) => pair.bundle_id).filter((id) => !this.#bundles.has(id))),
    ])
    return versionsOf([...this.#links, ...links], [...this.#bundles, ...bundles])
  }

  async *#readParts(): AsyncGenerator<NewChange[]> {
    yield await this.#readBundleChanges()
    const ids = [...this.#links.keys()]
    for (let at = 0; at < ids.length; at += LINKS_PER_TURN) {
      yield await this.#readLinkChanges(ids.slice(at, at + LINKS_PER_TURN))
      // SQLite never yields to the event loop by itself.
      if (this.#dialect === 'sqlite' && ids.length > LINKS_PER_TURN)
        await new Promise((resolve) => setImmediate(resolve))
    }
    yield await this.#readMembershipChanges()
  }

  async #readLinkChanges(ids: readonly number[]): Promise<NewChange[]> {
    const states = await readLinkStates(this.#tx, this.#dialect, ids)
    for (const [id, state] of states) this.#current.links.set(id, state)
    return ids.flatMap((id) => {
      const [before, after] = [this.#links.get(id), states.get(id)]
      const isWritten = before?.version !== after?.version
      const difference =
        findDifference(before?.values, after?.values) ?? (isWritten ? { before: {}, after: {} } : undefined)
      return difference ? [this.#toChange(linkKind(difference), difference, { link_id: id }, after)] : []
    })
  }

  async #readBundleChanges(): Promise<NewChange[]> {
    const ids = [...this.#bundles.keys()]
    if (ids.length === 0) return []
    const states = await readBundleStates(this.#tx, this.#dialect, ids)
    for (const [id, state] of states) this.#current.bundles.set(id, state)
    return ids.flatMap((id) => {
      const difference = findDifference(this.#bundles.get(id)?.values, states.get(id)?.values)
      return difference ? [this.#toChange(bundleKind(difference), difference, { bundle_id: id })] : []
    })
  }

  /** A link that leaves a bundle because one of them is deleted is part of that deletion. */
  async #readMembershipChanges(): Promise<NewChange[]> {
    const pairs = [...this.#members.values()]
    if (pairs.length === 0) return []
    const existing = await findMemberships(this.#tx, this.#dialect, pairs)
    const bundleIds = [...new Set(pairs.map((pair) => pair.bundle_id))]
    const linkIds = [...new Set(pairs.map((pair) => pair.link_id))]
    const bundles = await readBundleStates(this.#tx, this.#dialect, bundleIds)
    const links = await readLinkStates(this.#tx, this.#dialect, linkIds)
    for (const [id, state] of bundles) this.#current.bundles.set(id, state)
    for (const [id, state] of links) this.#current.links.set(id, state)
    return pairs.flatMap(({ wasMember, ...pair }) => {
      const isMember = existing.has(membershipKey(pair))
      if (wasMember === isMember || !bundles.has(pair.bundle_id) || !links.has(pair.link_id)) return []
      const kind = isMember ? 'bundle.link_added' : 'bundle.link_removed'
      return [this.#toChange(kind, { before: {}, after: {} }, pair)]
    })
  }

  #toChange(
    kind: HistoryTable['kind'],
    { before, after }: Difference,
    subject: { link_id?: number; bundle_id?: number },
    state?: State,
  ): NewChange {
    const { identity, via, assistant, tool, requestId, now } = this.#source
    return {
      changed_at: now,
      identity,
      via,
      assistant: assistant?.id ?? null,
      assistant_name: assistant?.name ?? null,
      tool: tool ?? null,
      request_id: requestId ?? null,
      plan_id: this.#planId,
      kind,
      link_id: subject.link_id ?? null,
      bundle_id: subject.bundle_id ?? null,
      version: state?.version ?? null,
      before_values: before && JSON.stringify(before),
      after_values: after && JSON.stringify(after),
    }
  }
}

function trackerOf(tx: Tx): ChangeTracker {
  const tracker = trackers.get(tx)
  if (!tracker) throw new Error('Links and bundles are written with `recordChanges` only')
  return tracker
}

/** Reads the states of links that the transaction may write. Call this once they are locked. */
export function trackLinks(tx: Tx, ids: readonly number[]): Promise<void> {
  return trackerOf(tx).trackLinks(ids)
}

/** Reads the state of a bundle that the transaction may write, with its links before a deletion. */
export function trackBundle(tx: Tx, id: number, { willBeDeleted = false } = {}): Promise<void> {
  return trackerOf(tx).trackBundle(id, willBeDeleted)
}

/** Reads which of these links are in these bundles, before the transaction changes it. */
export function trackMemberships(tx: Tx, pairs: readonly Membership[]): Promise<void> {
  return trackerOf(tx).trackMemberships(pairs)
}

export function trackCreatedLink(tx: Tx, id: number): void {
  trackerOf(tx).trackCreatedLink(id)
}

export function trackCreatedBundle(tx: Tx, id: number): void {
  trackerOf(tx).trackCreatedBundle(id)
}

/** The transaction writes this plan (L29.3). */
export function trackPlan(tx: Tx, id: number): void {
  trackerOf(tx).setPlan(id)
}

/** The changes that the transaction has written so far. */
export function readNewChanges(tx: Tx): Promise<NewChange[]> {
  return trackerOf(tx).read()
}

/** The versions of what the transaction has read for its writes, before them. */
export function readTrackedVersions(tx: Tx): Promise<SubjectVersions> {
  return trackerOf(tx).readVersions()
}

/** Throws unless `trackLinks` has read the state of the link before. */
export function requireTrackedLink(tx: Tx, id: number): void {
  trackerOf(tx).requireLink(id)
}
