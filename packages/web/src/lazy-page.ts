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

/** Milliseconds between a complete page and the loading of the parts that it may need. */
const IDLE_AFTER_MS = 1_000

/** Milliseconds after which they are loaded also while the browser is busy. */
const IDLE_WITHIN_MS = 5_000

/**
 * Makes a part of a page that is not seen at once, such as a dialog, a separate file of the bundle.
 * It is loaded when it is first rendered, or before that while the browser has nothing to do, except
 * where the person saves data.
 *
 * @example const Settings = lazyPart(() => import('./settings.tsx'))
 */
export function lazyPart<Props extends object>(importPart: () => Promise<{ default: ComponentType<Props> }>) {
  const Part = lazyPage(importPart)
  // Without a document, this is a test of a module that imports the part.
  if (typeof document !== 'undefined' && !savesData())
    void whenIdle()
      .then(Part.load)
      .catch(() => {})
  return Part
}

/** Only Chromium knows it. */
const savesData = () =>
  (navigator as { connection?: { readonly saveData?: boolean } }).connection?.saveData === true

async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete')
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  await new Promise((resolve) => setTimeout(resolve, IDLE_AFTER_MS))
  await new Promise<unknown>((resolve) => {
    // Safari lacks it.
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_WITHIN_MS })
    else setTimeout(resolve)
  })
}
