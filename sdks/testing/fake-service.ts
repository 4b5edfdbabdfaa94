import { afterAll, expect } from 'bun:test'

/** The fake service's answer to one request; `never` leaves the request unanswered. */
export type FakeAnswer = { status?: number; headers?: Record<string, string>; body?: unknown } | 'never'

export interface RecordedRequest {
  method: string
  path: string
  headers: Headers
  body: unknown
}

/** A service that sends the given answers in order and records the requests. */
export class FakeService {
  readonly requests: RecordedRequest[] = []
  readonly #answers: FakeAnswer[]
  readonly #server: ReturnType<typeof Bun.serve>

  constructor(...answers: FakeAnswer[]) {
    this.#answers = answers
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.#answer(request) })
    afterAll(() => this.#server.stop(true))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const text = await request.text()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    this.requests.push({ method: request.method, path: pathname + search, headers: request.headers, body })
    const next = this.#answers.shift() ?? { status: 500, body: { error: 'Asked too often' } }
    if (next === 'never') return new Promise(() => undefined)
    const { status = 200, headers = {}, body: answer = {} } = next
    if (typeof answer === 'string') return new Response(answer, { status, headers })
    return Response.json(answer, { status, headers })
  }
}

/** Returns the error of a call. A call that succeeds fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('The call should have failed'),
    (error: unknown) => error,
  )
}
