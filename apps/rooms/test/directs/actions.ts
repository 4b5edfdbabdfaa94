import { type Actor, type RoomJson, type Target, succeed } from '../actions.ts'

/** A direct conversation as one of its people sees it. */
export interface DirectJson extends RoomJson {
  kind: string
  people: { id: string; nickname: string; avatarColor: string; avatarUrl: string | null }[]
}

export function postDirect({ browser }: Actor, userIds: readonly unknown[]): Promise<Response> {
  return browser.send('/api/directs', { body: { userIds } })
}

/** Creates the direct conversation with these people. */
export async function createDirect(actor: Actor, ...others: readonly Target[]): Promise<DirectJson> {
  const sent = postDirect(
    actor,
    others.map(({ user }) => user.id),
  )
  return (await succeed<{ room: DirectJson }>(sent, 201)).room
}

/** Direct conversations that are not hidden, by their last messages. */
export async function listDirects({ browser }: Actor): Promise<DirectJson[]> {
  return (await browser.json<{ directs: DirectJson[] }>('/api/directs')).directs
}
