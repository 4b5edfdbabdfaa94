import { type TextLoader, addTexts } from '@latchkey/web/texts'
import { type ReactNode, lazy } from 'react'

/** Loads a part together with its texts, which most pages do not need. */
export function lazyPart<Props extends object>(
  texts: TextLoader,
  load: () => Promise<{ default: (props: Props) => ReactNode }>,
) {
  return lazy(async () => {
    const [part] = await Promise.all([load(), addTexts(texts)])
    return part
  })
}
