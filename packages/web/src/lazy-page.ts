import { type ComponentType, createElement, lazy, useState } from 'react'

/**
 * Makes a page a separate file of the bundle, like `lazy`. A page that was loaded ahead, by
 * `load`, is rendered without a placeholder before it.
 *
 * @example const KeysPage = lazyPage(() => import('./pages/keys/page.tsx'))
 */
export function lazyPage<Props extends object>(importPage: () => Promise<{ default: ComponentType<Props> }>) {
  let loaded: ComponentType<Props> | undefined
  const load = async () => {
    const page = await importPage()
    loaded = page.default
    return page
  }
  const Pending = lazy(load) as unknown as ComponentType<Props>
  function Page(props: Props) {
    // Another component would be another page, without the state of this one.
    const [Component] = useState(() => loaded ?? Pending)
    return createElement(Component, props)
  }
  return Object.assign(Page, { load })
}
