/** The id of the element with the answers in the HTML. */
export const ANSWERS_ID = 'answers'

/** The answer of an operation that the page needs at once. The server writes it into the HTML. */
export interface Answer {
  /** Path and query of the call. */
  address: string
  headers: Readonly<Record<string, string>>
  body: unknown
}

/** Answers that no one has taken yet. They are as old as the page. */
export class Answers {
  readonly #read: () => string
  #left: Map<string, Answer> | undefined

  /** `read` returns the JSON of the answers. It is called once. */
  constructor(read: () => string) {
    this.#read = read
  }

  /** Returns the answer at this address, the first time. */
  take(address: string): { body: unknown; headers: Headers } | undefined {
    this.#left ??= new Map((JSON.parse(this.#read()) as Answer[]).map((answer) => [answer.address, answer]))
    const answer = this.#left.get(address)
    this.#left.delete(address)
    return answer && { body: answer.body, headers: new Headers(answer.headers) }
  }

  /** Forgets what is left, because something has changed. */
  drop(): void {
    this.#left = new Map()
  }
}

/** Answers that the page came with. */
export const answers = new Answers(() => document.getElementById(ANSWERS_ID)?.textContent ?? '[]')
