/** Task that runs one at a time. All requests during a run share one run after it. */
export class CoalescedTask {
  readonly #work: () => Promise<void>
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  /** `work` must not reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves after a run that began after this call. */
  run(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      return (this.#current = this.#work())
    })
    return this.#next
  }

  whenIdle(): Promise<void> {
    return this.#next ?? this.#current
  }
}
