/** The output of progress lines, such as `process.stderr`. */
interface Terminal {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Frequent enough to look live, rare enough to cost nothing. */
const EVERY_MS = 200
const START_OF_LINE = '\r\u001b[K'

/** A progress line at the bottom of a terminal. No output if stderr is not a terminal. */
export class Progress {
  readonly #terminal: Terminal
  readonly #now: () => number
  readonly #startedMs: number
  #shownMs = -EVERY_MS
  #isShown = false

  constructor(terminal: Terminal = process.stderr, now: () => number = () => performance.now()) {
    this.#terminal = terminal
    this.#now = now
    this.#startedMs = now()
  }

  /** Shows the number of rows and the share: `done` of `whole`, if known, in bytes or rows. */
  show(rows: number, { done, whole }: { done: number; whole: number | undefined }): void {
    if (!this.#terminal.isTTY || !this.#isDue()) return
    const nowMs = this.#shownMs
    this.#isShown = true
    const seconds = Math.max(1, Math.round(nowMs / 1000))
    const share = whole ? `${Math.min(100, Math.floor((100 * done) / whole))}%, ` : ''
    const pace = Math.round(rows / Math.max(nowMs / 1000, 0.001))
    this.#terminal.write(
      `${START_OF_LINE}${share}${formatCount(rows)} rows, ${formatCount(pace)} per second, ${seconds} s`,
    )
  }

  /** Shows how many bytes are done, and their share of `whole`, if known. */
  showBytes(what: string, done: number, whole?: number): void {
    if (!this.#terminal.isTTY || !this.#isDue()) return
    const share = whole ? `${Math.min(100, Math.floor((100 * done) / whole))}%, ` : ''
    this.showStatus(`${what}: ${share}${formatCount(Math.ceil(done / 1024 ** 2))} MB`)
  }

  /** Shows work without countable rows. */
  showStatus(what: string): void {
    if (!this.#terminal.isTTY) return
    this.#isShown = true
    this.#terminal.write(`${START_OF_LINE}${what}`)
  }

  #isDue(): boolean {
    const nowMs = this.#now() - this.#startedMs
    if (nowMs - this.#shownMs < EVERY_MS) return false
    this.#shownMs = nowMs
    return true
  }

  /** Clears the line before permanent output. */
  clear(): void {
    if (this.#isShown) this.#terminal.write(START_OF_LINE)
    this.#isShown = false
  }
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}
