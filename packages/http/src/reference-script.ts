// Writes the script of the API reference page to stdout: `bun packages/http/src/reference-script.ts`.
// Only the Fastify plugin of Scalar brings the script without 200 MB of packages that the script was built from
// (docs/decisions/0019-lighter-install.md). The plugin holds it as a string and serves it.
import scalar from '@scalar/fastify-api-reference'

interface Route {
  url: string
  handler: (request: unknown, reply: Reply) => unknown
}

interface Reply {
  header: (name: string, value: string) => Reply
  send: (body: string) => Reply
}

/** The whole script. Throws where the plugin serves none. */
export async function referenceScript(): Promise<string> {
  const routes: Route[] = []
  const { promise: registered, resolve } = Promise.withResolvers<void>()
  // As much of Fastify as the plugin calls.
  const fastify = { route: (route: Route) => routes.push(route) }
  const register = scalar as unknown as (app: typeof fastify, options: unknown, done: () => void) => void
  register(fastify, { configuration: { url: '/' } }, resolve)
  await registered
  let script = ''
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body
      return reply
    },
  }
  routes.find(({ url }) => url.endsWith('/scalar.js'))?.handler({}, reply)
  if (script === '') throw new Error('@scalar/fastify-api-reference serves no script')
  return script
}

if (import.meta.main) process.stdout.write(await referenceScript())
