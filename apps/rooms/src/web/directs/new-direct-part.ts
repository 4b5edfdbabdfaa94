import { lazyPart } from '@latchkey/web/lazy-page'
import { addTexts } from '@latchkey/web/texts'
import { directTexts } from '../texts/directs.ts'

/** The dialog of a new conversation, with its texts. */
export const NewDirect = lazyPart(async () => {
  const [dialog] = await Promise.all([import('./new-direct.tsx'), addTexts(directTexts)])
  return dialog
})
