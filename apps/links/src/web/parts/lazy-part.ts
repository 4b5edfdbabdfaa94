import { lazyPage } from '@latchkey/web/lazy-page'
import { type TextLoader, addTexts } from '@latchkey/web/texts'
import type { ComponentType } from 'react'

/** Loads a part together with its texts, which most pages do not need: ahead by `load`, or when rendered. */
export function lazyPart<Props extends object>(
  texts: TextLoader,
  importPart: () => Promise<{ default: ComponentType<Props> }>,
) {
  return lazyPage(async () => {
    const [part] = await Promise.all([importPart(), addTexts(texts)])
    return part
  })
}
