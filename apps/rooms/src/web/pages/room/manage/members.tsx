import { Stack } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { LoadMore } from '../../../parts/load-more.tsx'
import { usePages } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { People } from '../people/people.tsx'
import type { Room } from '../room.ts'

/** Members of the room. */
export function Members({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const list = usePages('members', 'listMembers', { params: { id: room.id } })
  if (list.error && !list.pages) return <ErrorNotice error={list.error} onRetry={list.retry} />
  const members = (list.pages?.flatMap((page) => page.members) ?? []).map(({ group, ...person }) => ({
    ...person,
    ...(group !== null && { note: t('groups.from', { group }) }),
  }))
  return (
    <Stack gap="md" align="stretch">
      <People people={members} room={room} user={user} areMembers />
      <LoadMore more={list.more} isReading={list.isReading} error={list.moreError} />
    </Stack>
  )
}
