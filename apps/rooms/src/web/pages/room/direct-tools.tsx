import { IconPlus } from '@latchkey/web/icons'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useState } from 'react'
import { NewDirect } from '../../directs/new-direct-part.ts'
import { useText } from '../../texts/text.ts'
import { LeaveTool } from './own-tools.tsx'
import type { Room } from './room.ts'
import { Tool } from './tool.tsx'

/** What the header of a direct conversation has in the place of its settings. */
export function DirectTools({ room }: { room: Room }) {
  const { t } = useText()
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Tool label={t('room.addPeople')} icon={IconPlus} onClick={() => setAdding(true)} />
      <LeaveTool room={room} />
      <OnUse isUsed={isAdding}>
        <NewDirect isOpen={isAdding} close={() => setAdding(false)} people={room.people ?? []} />
      </OnUse>
    </>
  )
}
