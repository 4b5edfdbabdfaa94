import { addTexts } from '@latchkey/web/texts'
import { peopleTexts } from '../texts/people.ts'

/** Parts about people, each with the texts. */
async function withTexts<Part>(part: Promise<Part>): Promise<Part> {
  const [loaded] = await Promise.all([part, addTexts(peopleTexts)])
  return loaded
}

export const loadCard = () => withTexts(import('./person-card.tsx'))
export const loadAccountPopover = () => withTexts(import('./account-popover.tsx'))
export const loadBlockedBar = () => withTexts(import('./blocked-bar.tsx'))
