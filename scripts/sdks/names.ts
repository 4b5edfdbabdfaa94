const NOUNS = ['Links', 'Slugs', 'Bundles', 'Link', 'Slug', 'Bundle']
const TAIL = new RegExp(`(By|To|From|For)(${NOUNS.join('|')})$`)

/** The resource that a path belongs to, which is its first part: `/links/{id}/slugs` is of `links`. */
export function groupOf(path: string): string {
  const [, first] = path.split('/')
  if (!first || first.includes('{')) throw new Error(`${path} does not begin with a resource`)
  return first
}

/**
 * What an operation is called within its resource: `createLink` is `links.create`, `getLinkAnalytics` is
 * `links.analytics`, `disableSlugBySlug` is `slugs.disable`, `disableSlug` below a link is `links.disableSlug`.
 */
export function methodOf(operationId: string, group: string): string {
  const plural = pascal(group)
  const own = new RegExp(`(${plural}|${plural.replace(/s$/, '')})(?=[A-Z]|$)`)
  const words = operationId.replace(TAIL, '')
  const rest = words.replace(own, '')
  if (rest === words) return words
  return camel(rest.replace(/^get(?=[A-Z])/, ''))
}

/** `list` pages, `listAll` walks all of them; so does `breakdownAll`. */
export function walkerOf(method: string): string {
  return method.startsWith('list') ? method.replace(/^list/, 'listAll') : `${method}All`
}

export function pascal(name: string): string {
  return name.replaceAll(/(^|[_-])([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())
}

export function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

export function snake(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}
