import { afterAll, expect } from 'bun:test'

/** The fake service's answer to one request; `never` leaves the request unanswered. */
export type Said = { status?: number; headers?: Record<string, string>; body?: unknown } | 'never'

export interface Asked {
  method: string
  path: string
  headers: Headers
  body: unknown
}

/** A service that sends the given answers in order and records the requests. */
export class FakeService {
  readonly asked: Asked[] = []
  readonly #answers: Said[]
  readonly #server: ReturnType<typeof Bun.serve>

  constructor(...answers: Said[]) {
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
    this.asked.push({ method: request.method, path: pathname + search, headers: request.headers, body })
    const said = this.#answers.shift() ?? { status: 500, body: { error: 'Asked too often' } }
    if (said === 'never') return new Promise(() => undefined)
    const { status = 200, headers = {}, body: answer = {} } = said
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
