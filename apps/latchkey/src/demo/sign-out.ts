import type { Context, Middleware, Provider } from 'oidc-provider'
import { post } from './post.ts'

/**
 * The provider ends a session by a form that it lets a script send, or a person after its question. Where no question is open
 * (the client proves with its ID token who is signed in, nobody is, or the person has just chosen to be somebody else) the form is
 * sent from here instead: so no page of the demo needs a script.
 */
export function signOut(provider: Provider, clientId: string): Middleware {
  return async (context, next) => {
    await forgetForeignHint(provider, clientId, context)
    await next()
    if (isSettled(context)) await confirm(context)
  }
}

/** After a restart the keys are new: an ID token of an earlier run then proves nothing, but must not end in an error. */
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
  // The question and the self-sending form are the only pages with this field.
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

/** Those that came with the request, with what this answer has set already. */
function cookiesByNow({ req, response }: Context): string {
  const pairs = (req.headers.cookie ?? '').split(/;\s*/)
  const set = [response.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';', 1)[0] ?? '')
  const jar = new Map([...pairs, ...set].map((pair) => [pair.split('=', 1)[0] ?? '', pair]))
  return [...jar.values()].join('; ')
}
