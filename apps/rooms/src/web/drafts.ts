import { queries } from '@latchkey/web/queries'
import { useEffect } from 'react'
import type { Result } from './call.ts'
import { live } from './live/live.ts'
import { useCall } from './queries.ts'

type Drafts = Result<'listDrafts'>

const DRAFTS = { query: { limit: 100 } }
const KEY = ['drafts', 'listDrafts', DRAFTS]

/** The rooms in which the user has begun to write, in any tab. */
export function useRoomsWithDraft(): ReadonlySet<string> {
  const { data } = useCall('drafts', 'listDrafts', DRAFTS)
  useEffect(
    () =>
      live.onNotice(({ notice, data: draft }) => {
        if (notice === 'draft') noteDraft(String(draft['roomId']), draft['content'])
      }),
    [],
  )
  return new Set(data?.drafts.map(({ roomId }) => roomId))
}

function noteDraft(roomId: string, content: unknown): void {
  queries.setQueryData<Drafts>(KEY, (page) => {
    const others = page?.drafts.filter((draft) => draft.roomId !== roomId) ?? []
    const own = typeof content === 'string' ? [{ roomId, content, updatedAt: '' }] : []
    return { nextCursor: null, ...page, drafts: [...own, ...others] }
  })
}

/** The draft of the room at the server, as far as this tab knows. */
export function draftAtServer(roomId: string): string {
  const drafts = queries.getQueryData<Drafts>(KEY)?.drafts
  return drafts?.find((draft) => draft.roomId === roomId)?.content ?? ''
}
