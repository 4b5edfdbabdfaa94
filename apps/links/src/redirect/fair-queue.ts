import { widerPrefixes } from '@latchkey/http/client-prefix'

/**
 * Tasks of visitors that run one after another, in turn for their networks: the widest ones, the
 * networks in them, and then addresses. A flood delays its own network. Every second turn is for
 * the newest, so that it is not behind a flood that came first. When the queue is full, the oldest
 * task of the network with the most tasks is dropped.
 */
export class FairQueue {
  readonly #waiting = new Turns<Task>()
  readonly #maxWaiting: number
  #isRunning = false

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** The result of the task; undefined if it was dropped. `address` is a client prefix. */
  run<Result>(address: string, task: () => Promise<Result>): Promise<Result | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>()
    this.#waiting.add([...widerPrefixes(address).toReversed(), address], {
      start: () => task().then(resolve, reject),
      drop: () => resolve(undefined),
    })
    if (this.#waiting.size > this.#maxWaiting) this.#waiting.takeFromLargest()?.drop()
    if (!this.#isRunning) void this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    for (let task = this.#waiting.take(); task; task = this.#waiting.take()) await task.start()
    this.#isRunning = false
  }
}

interface Task {
  /** Never rejects. */
  start: () => Promise<void>
  drop: () => void
}

/** Items by path, such as a network and an address in it. */
class Turns<Item> {
  /** The branch that was served last is the last. */
  readonly #branches = new Map<string, Turns<Item>>()
  /** Branches that have not been served, the newest last. */
  readonly #newBranches = new Set<string>()
  /** The items at the end of a path, the newest last. */
  readonly #items: Item[] = []
  #size = 0
  #isForNewest = false

  get size(): number {
    return this.#size
  }

  add([name, ...path]: readonly string[], item: Item): void {
    this.#size++
    if (name === undefined) {
      this.#items.push(item)
      return
    }
    let branch = this.#branches.get(name)
    if (!branch) {
      branch = new Turns()
      this.#branches.set(name, branch)
      this.#newBranches.add(name)
    }
    branch.add(path, item)
  }

  /** Takes an item of the branch whose turn it is. */
  take(): Item | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    this.#isForNewest = !this.#isForNewest
    if (this.#items.length > 0) return this.#isForNewest ? this.#items.pop() : this.#items.shift()
    const newest = this.#isForNewest ? [...this.#newBranches].at(-1) : undefined
    const [longestUnserved] = this.#branches.keys()
    return this.#serve(newest ?? longestUnserved)
  }

  /** Takes the oldest item of the largest branch. */
  takeFromLargest(): Item | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    if (this.#items.length > 0) return this.#items.shift()
    const [largest] = [...this.#branches].toSorted(([, a], [, b]) => b.size - a.size)
    const item = largest?.[1].takeFromLargest()
    if (largest?.[1].size === 0) this.#remove(largest[0])
    return item
  }

  #serve(name: string | undefined): Item | undefined {
    const branch = this.#branches.get(name ?? '')
    if (name === undefined || !branch) return undefined
    const item = branch.take()
    this.#remove(name)
    if (branch.size > 0) this.#branches.set(name, branch)
    return item
  }

  #remove(name: string): void {
    this.#branches.delete(name)
    this.#newBranches.delete(name)
  }
}
