import type { Context, Middleware, Provider } from 'oidc-provider'
import { refuse } from './edge.ts'
import { choicePage, show } from './pages.ts'
import { findUser } from './users.ts'

const LARGEST_FORM_BYTES = 4096

/** The page on which users choose a demo user, and its form. */
export function choice(provider: Provider): Middleware {
  return async (context, next) => {
    if (!/^\/interaction\/[\w-]+$/.test(context.path)) return next()
    if (context.method === 'GET') return ask(provider, context)
    if (context.method === 'POST') return take(provider, context)
    return next()
  }
}

async function ask(provider: Provider, context: Context): Promise<void> {
  const { session } = await provider.interactionDetails(context.req, context.res)
  show(context, choicePage(findUser(session?.accountId)))
}

async function take(provider: Provider, context: Context): Promise<void> {
  const form = await readForm(context)
  const user = findUser(form?.get('account'))
  if (user) return goOn(provider, context, { login: { accountId: user.id }, select_account: {} })
  if (form?.has('cancel')) return goOn(provider, context, { error: 'access_denied' })
  return refuse(context, 400, 'Choose a user to continue.')
}

async function goOn(provider: Provider, context: Context, result: object): Promise<void> {
  const url = await provider.interactionResult(context.req, context.res, result, {
    mergeWithLastSubmission: false,
  })
  context.redirect(url)
  context.status = 303
}

async function readForm({ req }: Context): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_FORM_BYTES) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
