import { type Context as HonoContext, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { parseJson, readBytes, readPieces } from './body.ts'
import { type Failure, transportFailure } from './failure.ts'
import { openFormFile } from './form-file.ts'
import { FixedFirst } from './fixed-first.ts'
import type { Answer, AnyOperation, Input } from './operation.ts'
import { type LiteralTexts, parseBody, parseOrFail, queryObject } from './validation.ts'

/** Maximum size of a JSON body, in bytes, unless a surface sets another. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** Data of a request that only Bun knows. `peer` is the socket's address. */
export interface PeerInfo {
  peer: string
  /** Keeps the connection open however long no data is sent. */
  keepOpen?: () => void
}

/** The caller, and the headers that every answer to it carries. */
export interface Authenticated<Caller> {
  caller: Caller
  headers: Record<string, string>
  /** `Set-Cookie` lines. Operations may add more while they run. */
  cookies?: string[]
}

/** One request and its answer, without any data from the caller except the method. */
export interface Exchange {
  /** The operation's path pattern, or `unmatched`. */
  route: string
  method: string
  status: number
  requestId: string
  ms: number
}

/** All differences between one mounted API and another. */
export interface Surface<Context, Caller> {
  /** Prefix of all paths. */
  basePath: string
  operations: readonly AnyOperation<Context>[]
  /** Throws a failure if the caller is not admitted. Runs before the path is matched. */
  authenticate(request: Request, arrival: PeerInfo): Promise<Authenticated<Caller>>
  /** Throws if the caller may not use operations of this scope. */
  authorise(caller: Caller, operation: AnyOperation<Context>, request: Request): void | Promise<void>
  contextOf(
    caller: Caller,
    request: Request,
    arrival: PeerInfo & { requestId: string },
  ): Context | Promise<Context>
  literals: LiteralTexts
  /** Maximum size of a JSON body, in bytes. Default: 64 KiB. */
  bodyLimitBytes?: number
  /** Additional headers of the answer to a successful operation with this context. */
  headersOf?(context: Context): Readonly<Record<string, string>>
  /**
   * Turns a thrown error into an answer, and logs faults of the server. `caller` is undefined if
   * the error was thrown before authentication.
   */
  render(error: unknown, requestId: string, caller: Caller | undefined): Response | Promise<Response>
  /**
   * Decides whether an operation is performed, or answers for it. `work` performs it, and throws
   * its refusals. Without this, it is simply performed.
   */
  around?: (call: Call<Context, Caller>, work: Perform<Context>) => Promise<Response>
  /** Receives every exchange, for logs and metrics. */
  observe(exchange: Exchange): void
}

/** An authorised request, whose JSON body is read and not yet parsed. */
export interface Call<Context, Caller> {
  caller: Caller
  operation: AnyOperation<Context>
  request: Request
  /** Undefined if the operation takes none. */
  body: Uint8Array | undefined
  createContext(): Context | Promise<Context>
}

type Perform<Context> = (createContext: () => Context | Promise<Context>) => Promise<Response>

type Env = { Bindings: PeerInfo }
type Work<Caller> = (caller: Caller, requestId: string) => Promise<Response>

/**
 * Mounts operations as routes. The order of checks is defined only here: caller, rate limit, path,
 * method, scope, path parameters, body, query, body fields. Then the handler checks existence,
 * ownership and rules.
 */
export function mount<Context, Caller>(surface: Surface<Context, Caller>): Hono<Env> {
  const app = new Hono<Env>({ getPath: pathOf, router: new FixedFirst() })
  // One handler for each route and no middleware: Hono then calls it directly, at a third of the
  // cost of composing them.
  for (const operation of surface.operations)
    app.on([...operation.methods], patternOf(surface, operation.path), (c) =>
      exchange(surface, c, operation.path, (caller, requestId) =>
        perform(surface, operation, c, { caller, requestId }),
      ),
    )
  const refusalAt = refusals(surface)
  app.notFound((c) => {
    const { route, refused } = refusalAt(c.req.path)
    return exchange(surface, c, route, async () => {
      throw refused
    })
  })
  return app
}

/**
 * Handles one request: authenticates the caller, does the work and adds the headers of every
 * answer.
 */
async function exchange<Context, Caller>(
  surface: Surface<Context, Caller>,
  { req: { raw: request }, env: arrival }: HonoContext<Env>,
  route: string,
  work: Work<Caller>,
): Promise<Response> {
  const startedMs = performance.now()
  const requestId = crypto.randomUUID()
  let authenticated: Authenticated<Caller> | undefined
  let response: Response
  try {
    authenticated = await surface.authenticate(request, arrival)
    response = await work(authenticated.caller, requestId)
  } catch (error) {
    response = await withContentLength(request, await surface.render(error, requestId, authenticated?.caller))
  }
  const { headers, status } = response
  headers.set('X-Request-Id', requestId)
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'private, no-store')
  const { headers: more = {}, cookies = [] } = authenticated ?? {}
  for (const name in more) headers.set(name, more[name] ?? '')
  for (const line of cookies) headers.append('Set-Cookie', line)
  const { method } = request
  surface.observe({ route, method, status, requestId, ms: performance.now() - startedMs })
  return response
}

/** Path of a request. Without a valid `Host` header, Bun's request URL has only path and query. */
function pathOf(request: Request): string {
  return getPath(request.url.startsWith('/') ? new Request(`http://localhost${request.url}`) : request)
}

const PARAMETER = /\{(\w+)\}/g

/**
 * Names parameters by position. If names differ at one position, Hono falls back to a router of a
 * fifth of the speed.
 */
function patternOf<Context, Caller>({ basePath }: Surface<Context, Caller>, path: string): string {
  let index = 0
  return basePath + path.replaceAll(PARAMETER, () => `:${index++}`)
}

/**
 * Finds the failure and the route of a request that no operation accepts: either no such path, or a
 * path that does not take the method.
 */
function refusals<Context, Caller>({ basePath, operations }: Surface<Context, Caller>) {
  const patterns = operations.map(({ path }) => new RegExp(`^${path.replaceAll(PARAMETER, '[^/]+')}$`))
  return (fullPath: string) => {
    const path = fullPath.slice(basePath.length)
    const matches = fullPath.startsWith(basePath)
      ? operations.filter((_, at) => patterns[at]?.test(path))
      : []
    // Among several, the path with the fewest parameters matches.
    const [route] = matches
      .map((match) => match.path)
      .toSorted((a, b) => a.split('{').length - b.split('{').length)
    if (route === undefined) return { route: 'unmatched', refused: transportFailure('not_found') }
    const methods = matches.flatMap((match) => match.methods)
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])].join(', ')
    return { route, refused: transportFailure('method_not_allowed', { headers: { Allow: allow } }) }
  }
}

async function perform<Context, Caller>(
  surface: Surface<Context, Caller>,
  operation: AnyOperation<Context>,
  c: HonoContext<Env>,
  { caller, requestId }: { caller: Caller; requestId: string },
): Promise<Response> {
  const request = c.req.raw
  await surface.authorise(caller, operation, request)
  const params = operation.params && parsePath(operation, c.req.param())
  const bytes = operation.body
    ? await readBytes(request, operation.bodyLimitBytes ?? surface.bodyLimitBytes ?? BODY_LIMIT_BYTES)
    : undefined
  const createContext = () => surface.contextOf(caller, request, { ...c.env, requestId })
  const work: Perform<Context> = async (createOwnContext) => {
    const input = parseInput(surface, operation, request, bytes)
    if (operation.lasting) c.env.keepOpen?.()
    const context = await createOwnContext()
    const result: unknown = await operation.handler(context, {
      params,
      ...input,
      ...unreadBody(operation, request),
    })
    const answer = (await operation.answer?.(result, request)) ?? { body: result }
    const response = toResponse(answer, operation.status)
    addHeaders(surface, context, response)
    return answer.body instanceof ReadableStream ? response : withContentLength(request, response)
  }
  const { around } = surface
  return around
    ? around({ caller, operation, request, body: bytes, createContext }, work)
    : work(createContext)
}

function parseInput<Context, Caller>(
  { literals }: Surface<Context, Caller>,
  operation: AnyOperation<Context>,
  request: Request,
  bytes: Uint8Array | undefined,
): Pick<Input, 'query' | 'body'> {
  const json = bytes && parseJson(request, bytes)
  const query =
    operation.query && parseOrFail(operation.query, queryObject(request.url, operation.query), literals)
  return { query, body: operation.body && parseBody(operation.body, json, literals) }
}

/** The body of a request that the handler reads itself. */
function unreadBody<Context>(
  { upload, formField: field }: AnyOperation<Context>,
  request: Request,
): Pick<Input, 'upload' | 'openFile'> {
  if (upload) return { upload: readPieces(request, upload.limitBytes) }
  if (field === undefined) return {}
  return { openFile: (options) => openFormFile(request, { ...options, field }) }
}

function addHeaders<Context, Caller>(
  surface: Surface<Context, Caller>,
  context: Context,
  { headers }: Response,
): void {
  for (const [name, value] of Object.entries(surface.headersOf?.(context) ?? {})) headers.set(name, value)
}

/** Hono removes the body of the answer to a HEAD request, which would then have a length of 0. */
async function withContentLength({ method }: Request, response: Response): Promise<Response> {
  if (method === 'HEAD') response.headers.set('Content-Length', `${(await response.clone().bytes()).length}`)
  return response
}

function parsePath<Context>(
  { path, params }: AnyOperation<Context>,
  values: Record<string, string>,
): unknown {
  const namedValues = Array.from(path.matchAll(PARAMETER), ([, name = ''], index) => [name, values[index]])
  const parsed = params?.safeParse(Object.fromEntries(namedValues))
  if (parsed && !parsed.success) throw transportFailure('not_found')
  return parsed?.data
}

function toResponse(answer: Answer, status = 200): Response {
  const { body, headers } = answer
  const init = { status: answer.status ?? status, ...(headers && { headers }) }
  // A status without content, such as 304.
  if (body === null) return new Response(null, init)
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream)
    return new Response(body as BodyInit, init)
  return Response.json(body, init)
}

/** Builds the only shape of an error: `{"error": "<text>"}`. */
export function failureResponse(failure: Failure): Response {
  return Response.json({ error: failure.message }, { status: failure.status, headers: failure.headers })
}
