import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { loadCard } from './load.ts'
import { useOpenedCard } from './open-card.ts'

const PersonCard = lazyPart(loadCard)

/** The place of the card that a press on a name opens, on every page. */
export function CardPlace() {
  const opened = useOpenedCard()
  return <OnUse isUsed={opened !== null}>{opened && <PersonCard key={opened.userId} {...opened} />}</OnUse>
}
