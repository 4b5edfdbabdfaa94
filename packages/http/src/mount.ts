import { type Context as HonoContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { readJson, readPieces } from './body.ts'
import { type Failure, transportFailure } from './failure.ts'
import type { Answer, AnyOperation } from './operation.ts'
import { type LiteralTexts, parseBody, parseOrFail, queryObject } from './validation.ts'

export const BODY_LIMIT_BYTES = 64 * 1024

/** What Bun knows of a request beside the request. `peer` is the socket's address. */
export interface Arrival {
  peer: string
  /** Keeps the connection however long nothing is sent on it. */
  keepOpen?: () => void
}

/** Who calls, and what every answer to them carries. */
export interface Authenticated<Caller> {
  caller: Caller
  headers: Record<string, string>
  /** `Set-Cookie` lines; operations may cause more while they run. */
  cookies?: string[]
}

/** One request and its answer, without anything a caller has sent but the method. */
export interface Exchange {
  /** The operation's path pattern, or `unmatched`. */
  route: string
  method: string
  status: number
  requestId: string
  ms: number
}

export interface Surface<Context, Caller> {
  /** What all paths begin with. */
  basePath: string
  operations: readonly AnyOperation<Context>[]
  /** Throws the failure for a caller who is not admitted. Runs before the path is even looked at. */
  authenticate(request: Request, arrival: Arrival): Promise<Authenticated<Caller>>
  /** Throws when the caller may not use operations of this scope. */
  authorise(caller: Caller, operation: AnyOperation<Context>, request: Request): void
  contextOf(
    caller: Caller,
    request: Request,
    arrival: Arrival & { requestId: string },
  ): Context | Promise<Context>
  literals: LiteralTexts
  /** Of a JSON body; 64 KiB unless told. */
  bodyLimitBytes?: number
  /** Turns what was thrown into an answer, and logs what is our fault. */
  render(error: unknown, requestId: string): Response
  /** Told of every answer, for logs and metrics. */
  observe(exchange: Exchange): void
}

type Env<Caller> = {
  Bindings: Arrival
  Variables: { requestId: string; authenticated: Authenticated<Caller>; route: string }
}

/**
 * Mounts operations as routes. The order of checks lives here and nowhere else: caller, rate, path, method, scope, path
 * parameters, body, query, body fields; then the handler decides on existence, ownership and rules.
 */
export function mount<Context, Caller>(surface: Surface<Context, Caller>): Hono<Env<Caller>> {
  const app = new Hono<Env<Caller>>({ getPath: pathOf })
  app.onError((error, c) => surface.render(error, c.get('requestId')))
  app.use(async (c, next) => {
    const startedMs = performance.now()
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('X-Request-Id', requestId)
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'private, no-store')
    for (const [name, value] of Object.entries(c.get('authenticated')?.headers ?? {}))
      c.res.headers.set(name, value)
    for (const line of c.get('authenticated')?.cookies ?? []) c.res.headers.append('Set-Cookie', line)
    surface.observe({
      route: c.get('route') ?? 'unmatched',
      method: c.req.method,
      status: c.res.status,
      requestId,
      ms: performance.now() - startedMs,
    })
  })
  app.use(async (c, next) => {
    c.set('authenticated', await surface.authenticate(c.req.raw, c.env))
    await next()
  })
  for (const operation of surface.operations) mountOperation(app, surface, operation)
  refuseOtherMethods(app, surface)
  app.notFound((c) => surface.render(transportFailure('not_found'), c.get('requestId')))
  return app
}

/** Of a request without a `Host` that could be one, Bun knows only path and query. */
function pathOf(request: Request): string {
  return getPath(request.url.startsWith('/') ? new Request(`http://localhost${request.url}`) : request)
}

function patternOf<Context, Caller>({ basePath }: Surface<Context, Caller>, path: string): string {
  return basePath + path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function mountOperation<Context, Caller>(
  app: Hono<Env<Caller>>,
  surface: Surface<Context, Caller>,
  operation: AnyOperation<Context>,
): void {
  app.on([...operation.methods], patternOf(surface, operation.path), async (c) => {
    c.set('route', operation.path)
    return perform(surface, operation, c)
  })
}

/** After all operations, so that a path with a fixed last word never hides one that takes any. */
function refuseOtherMethods<Context, Caller>(
  app: Hono<Env<Caller>>,
  surface: Surface<Context, Caller>,
): void {
  const { operations } = surface
  const paths = new Set(operations.map((operation) => operation.path))
  const fixedFirst = [...paths].toSorted((a, b) => a.split('{').length - b.split('{').length)
  for (const path of fixedFirst) {
    const methods = operations.flatMap((each) => (covers(each.path, path) ? each.methods : []))
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])].join(', ')
    app.all(patternOf(surface, path), (c) => {
      c.set('route', path)
      throw transportFailure('method_not_allowed', { headers: { Allow: allow } })
    })
  }
}

/** Whether every address of `path` is one of `pattern` as well. */
function covers(pattern: string, path: string): boolean {
  const segments = pattern.split('/')
  const others = path.split('/')
  return (
    segments.length === others.length &&
    segments.every((segment, at) => segment === others[at] || segment.startsWith('{'))
  )
}

async function perform<Context, Caller>(
  surface: Surface<Context, Caller>,
  operation: AnyOperation<Context>,
  c: HonoContext<Env<Caller>>,
): Promise<Response> {
  const request = c.req.raw
  const { caller } = c.get('authenticated')
  surface.authorise(caller, operation, request)
  const params = parsePath(operation, c.req.param())
  const json = operation.body
    ? await readJson(request, surface.bodyLimitBytes ?? BODY_LIMIT_BYTES)
    : undefined
  const query = operation.query && parseOrFail(operation.query, queryObject(request.url), surface.literals)
  const body = operation.body && parseBody(operation.body, json, surface.literals)
  if (operation.lasting) c.env.keepOpen?.()
  const upload = readPieces(request, operation.upload?.limitBytes ?? 0)
  const context = await surface.contextOf(caller, request, { ...c.env, requestId: c.get('requestId') })
  const result: unknown = await operation.handler(context, { params, query, body, upload })
  return toResponse(operation.answer?.(result, request) ?? { body: result }, operation.status)
}

function parsePath<Context>(operation: AnyOperation<Context>, values: Record<string, string>): unknown {
  const parsed = operation.params?.safeParse(values)
  if (parsed && !parsed.success) throw transportFailure('not_found')
  return parsed?.data
}

function toResponse(answer: Answer, status = 200): Response {
  const init = { status: answer.status ?? status, headers: answer.headers ?? {} }
  const { body } = answer
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream)
    return new Response(body as BodyInit, init)
  return Response.json(body, init)
}

/** The one shape of an error: `{"error": "<text>"}`. */
export function failureResponse(failure: Failure): Response {
  return Response.json({ error: failure.message }, { status: failure.status, headers: failure.headers })
}
