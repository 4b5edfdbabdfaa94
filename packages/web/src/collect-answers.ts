import { ANSWERS_ID } from './answers.ts'

/** An answer that takes longer than this, in milliseconds, must not hold up the page. */
const WITHIN_MS = 500

/** Headers of answers that clients read. */
const HEADERS = ['etag', 'link', 'x-page', 'x-total-count'] as const

export interface CollectedAnswers {
  /** JSON of an `Answer` (answers.ts) each. */
  answers: readonly string[]
  /** `Set-Cookie` lines, which the page must send in their place. */
  cookies: readonly string[]
}

/**
 * Asks the API what a page will ask at once, as the person who requested the page. Refusals and late
 * answers are left out: the client then asks again.
 *
 * @example const { answers } = await collectAnswers(request, ['/api/session'], (inner) => api.fetch(inner, { peer }))
 */
export async function collectAnswers(
  request: Request,
  addresses: readonly string[],
  ask: (request: Request) => Response | Promise<Response>,
): Promise<CollectedAnswers> {
  // Without a usable `Host`, Bun knows only the path.
  if (!URL.canParse(request.url)) return { answers: [], cookies: [] }
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json')
  const collected = await Promise.all(
    addresses.map(async (address) => {
      const inner = new Request(new URL(address, request.url), { headers })
      const response = await inTime(async () => ask(inner)).catch(() => undefined)
      return response?.ok ? { json: await toJson(address, response), response } : undefined
    }),
  )
  const complete = collected.filter((answer) => answer !== undefined)
  const cookies = new Set(complete.flatMap(({ response }) => response.headers.getSetCookie()))
  return { answers: complete.map(({ json }) => json), cookies: [...cookies] }
}

async function inTime<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), WITHIN_MS)
  return Promise.race([work(), late.promise]).finally(() => clearTimeout(timer))
}

async function toJson(address: string, response: Response): Promise<string> {
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  headers['date'] = new Date().toUTCString()
  return `{"address":${JSON.stringify(address)},"headers":${JSON.stringify(headers)},"body":${await response.text()}}`
}

/**
 * The element of a page with these answers. It is data, which no content security policy forbids.
 * Texts in it cannot end it.
 */
export function answersElement(answers: readonly string[]): string {
  if (answers.length === 0) return ''
  const json = `[${answers.join(',')}]`.replaceAll('<', String.raw`\u003c`)
  return `<script type="application/json" id="${ANSWERS_ID}">${json}</script>`
}
