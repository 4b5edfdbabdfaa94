// Writes the script of the API reference page to stdout: `bun
// packages/http/src/reference-script.ts`. Only Scalar's Fastify plugin has the script without the
// 200 MB of packages from which it was built (docs/decisions/0019-lighter-install.md). The plugin
// holds it as a string and serves it.
import scalar from '@scalar/fastify-api-reference'

interface Route {
  url: string
  handler: (request: unknown, reply: Reply) => unknown
}

interface Reply {
  header: (name: string, value: string) => Reply
  send: (body: string) => Reply
}

/** Returns the whole script. Throws if the plugin does not serve it. */
export async function referenceScript(): Promise<string> {
  const routes: Route[] = []
  const { promise: registered, resolve } = Promise.withResolvers<void>()
  // The part of Fastify that the plugin calls.
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
