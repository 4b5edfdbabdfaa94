const NOUNS = ['Links', 'Slugs', 'Bundles', 'Link', 'Slug', 'Bundle']
const TAIL = new RegExp(`(By|To|From|For)(${NOUNS.join('|')})$`)

/** Returns the resource of a path, its first part: `/links/{id}/slugs` belongs to `links`. */
export function groupOf(path: string): string {
  const [, first] = path.split('/')
  if (!first || first.includes('{')) throw new Error(`${path} does not begin with a resource`)
  return first
}

/**
 * Returns the name of an operation within its resource: `createLink` is `links.create`,
 * `getLinkAnalytics` is `links.analytics`, `disableSlugBySlug` is `slugs.disable`, `disableSlug`
 * below a link is `links.disableSlug`.
 */
export function methodOf(operationId: string, group: string): string {
  const plural = pascal(group)
  const own = new RegExp(`(${plural}|${plural.replace(/s$/, '')})(?=[A-Z]|$)`)
  const words = operationId.replace(TAIL, '')
  const rest = words.replace(own, '')
  if (rest === words) return words
  return camel(rest.replace(/^get(?=[A-Z])/, ''))
}

/**
 * Returns the name of the method that walks all pages: `listAll` for `list`, `breakdownAll` for
 * `breakdown`.
 */
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
