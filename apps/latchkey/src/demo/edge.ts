import type { Log } from '@latchkey/http/log'
import type { Context, Middleware } from 'oidc-provider'
import { contentSecurityPolicy, errorPage, frontPage, show } from './pages.ts'

/**
 * The outermost middleware: checks the host, and sets the security headers and error pages of all
 * responses.
 */
export function edge(issuer: string, clientOrigins: readonly string[], log: Log): Middleware {
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(clientOrigins),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
  return async (context, next) => {
    context.set(headers)
    // Another host name that resolves to this machine (DNS rebinding) is refused.
    if (`http://${context.req.headers.host}` !== issuer)
      return refuse(context, 421, `This provider is available only at ${issuer}.`)
    if (context.method === 'GET' && context.path === '/') return show(context, frontPage())
    try {
      await next()
    } catch (error) {
      explain(context, error, log)
    }
    if (context.status === 404 && context.body === undefined)
      refuse(context, 404, 'This page does not exist.')
  }
}

/** Responds with an error page instead of a redirect to the client. */
export function refuse(context: Context, status: number, sentence: string): void {
  context.status = status
  show(context, errorPage('This request failed', sentence))
}

function explain(context: Context, error: unknown, log: Log): void {
  // Thrown by the provider if this browser has no interaction.
  if (error instanceof Error && error.name === 'SessionNotFound')
    return refuse(context, 400, 'This sign-in has ended or was started in another browser.')
  log.error('demo identity provider: failed', { error })
  return refuse(context, 500, 'Something went wrong. The log has the details.')
}
