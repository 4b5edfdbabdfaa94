import { type Input, type Result, call } from '../call.ts'

export type LinkDefaults = Result<'getDefaults'>

export interface NewLink {
  /** Empty for the default domain. */
  domain: string
  body: Input<'createLink'>['body']
  /** The id of a bundle; empty for none. */
  bundle: string
  forward: 'none' | 'utm' | 'all'
}

/**
 * Creates a link with what the pages add to it. The link stays even if one of these is refused,
 * which `onRefused` is called with.
 */
export async function createLink(
  { domain, body, bundle, forward }: NewLink,
  onRefused: (error: unknown) => void,
): Promise<Result<'createLink'>> {
  const link = await (domain === ''
    ? call('createLink', { body })
    : call('createDomainLink', { params: { host: domain }, body }))
  if (link.duplicate) return link
  const { id } = link
  const additions = [
    ...(bundle === ''
      ? []
      : [() => call('addLinkToBundle', { params: { id: Number(bundle) }, body: { link_id: id } })]),
    ...(forward === 'none'
      ? []
      : [() => call('setBehaviour', { params: { id }, body: { forward_query: forward } })]),
  ]
  for (const add of additions) await add().catch(onRefused)
  return link
}

/** A new link of this destination with the defaults of the person. */
export function withDefaults(url: string, defaults: LinkDefaults): NewLink {
  const { domain, bundle, expires_in: seconds, forward_query } = defaults
  return {
    domain: domain ?? '',
    body: { url, ...(seconds !== null && { expires_at: Math.floor(Date.now() / 1000) + seconds }) },
    bundle: bundle === null ? '' : String(bundle),
    forward: forward_query ?? 'none',
  }
}
