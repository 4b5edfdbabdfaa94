import { tellDone } from '@latchkey/web/told'
import { call } from '../../call.ts'
import type { Person } from '../../live/frames.ts'
import { Ask } from '../../parts/ask.tsx'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'

export function HandOver({ person, room, onClose }: { person: Person; room: Room; onClose: () => void }) {
  const { say } = useText()
  const name = person.nickname
  return (
    <Ask
      title={say('manage.handTitle', { name })}
      help={say('manage.handHelp', { name })}
      button={say('manage.hand')}
      act={async () => {
        await call('requestTransfer', { params: { id: room.id }, body: { userId: person.userId } })
        tellDone(say('manage.offered', { name }))
        await changed('pending')
      }}
      onClose={onClose}
    />
  )
}
