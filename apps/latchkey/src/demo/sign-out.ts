import type { Context, Middleware, Provider } from 'oidc-provider'
import { post } from './post.ts'

/**
 * oidc-provider ends a session with a form, which a script submits, or the user after a
 * confirmation. Where no confirmation is needed, this middleware submits the form, so no page of
 * the demo needs a script. Those cases are: the client's ID token proves the signed-in user, there
 * is no signed-in user, or the user has just switched to another user.
 */
export function signOut(provider: Provider, clientId: string): Middleware {
  return async (context, next) => {
    await forgetForeignHint(provider, clientId, context)
    await next()
    if (isSettled(context)) await confirm(context)
  }
}

/**
 * After a restart the keys are new. An ID token of an earlier run then proves nothing, but must not
 * cause an error.
 */
async function forgetForeignHint(provider: Provider, clientId: string, context: Context): Promise<void> {
  const { id_token_hint: hint, ...others } = context.query
  if (context.path !== '/session/end' || typeof hint !== 'string') return
  const client = await provider.Client.find(clientId)
  if (!client) return
  const isValid = await provider.IdToken.validate(hint, client).then(
    () => true,
    () => false,
  )
  if (!isValid) context.query = others
}

function isSettled({ oidc, status, body }: Context): boolean {
  // Only the confirmation and the self-submitting form have this field.
  if (!oidc?.session || status !== 200 || typeof body !== 'string' || !body.includes('name="xsrf"'))
    return false
  const { accountId } = oidc.session
  if (oidc.route !== 'end_session' || accountId === undefined) return true
  return oidc.entities.IdTokenHint?.payload.sub === accountId
}

async function confirm(context: Context): Promise<void> {
  const { oidc } = context
  const answer = await post(oidc?.urlFor('end_session_confirm') ?? '', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookiesByNow(context) },
    body: String(new URLSearchParams({ xsrf: oidc?.session?.state?.secret ?? '', logout: 'yes' })),
  })
  if (answer.headers.location === undefined)
    throw new Error(`The sign-out was not confirmed (status ${answer.status})`)
  context.body = null
  context.append('Set-Cookie', answer.headers['set-cookie'] ?? [])
  context.redirect(answer.headers.location)
  context.status = 303
}

/** The cookies of the request, updated with those that this response has set. */
function cookiesByNow({ req, response }: Context): string {
  const pairs = (req.headers.cookie ?? '').split(/;\s*/)
  const set = [response.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';', 1)[0] ?? '')
  const jar = new Map([...pairs, ...set].map((pair) => [pair.split('=', 1)[0] ?? '', pair]))
  return [...jar.values()].join('; ')
}
