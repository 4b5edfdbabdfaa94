import { type Actor, type MessageJson, succeed } from '../actions.ts'

export interface SearchResultJson {
  message: MessageJson
  room: { id: string; name: string }
  marks: [number, number][]
}

export interface SearchPageJson {
  results: SearchResultJson[]
  nextCursor: string | null
}

export function sendSearch({ browser }: Actor, query: Readonly<Record<string, string>>): Promise<Response> {
  return browser.send(`/api/search?${new URLSearchParams(query)}`)
}

export function search(actor: Actor, query: Readonly<Record<string, string>>): Promise<SearchPageJson> {
  return succeed<SearchPageJson>(sendSearch(actor, query))
}

/** The texts of the results, newest first. */
export async function searchTexts(
  actor: Actor,
  query: Readonly<Record<string, string>>,
): Promise<(string | null)[]> {
  return (await search(actor, query)).results.map(({ message }) => message.content)
}
