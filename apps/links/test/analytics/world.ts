import { sql } from 'kysely'
import { type Recorder } from '../../src/counting/recorder.ts'
import { openRecorder } from '../../src/counting/open-recorder.ts'
import { TestDatabase } from '../test-database.ts'
import type { Slug } from './click-history.ts'

/**
 * Links for histories of clicks: the first has three slugs, two have one, and the quiet one is never
 * clicked. The bundle contains all but the third.
 */
export interface World {
  stored: TestDatabase
  slugs: Slug[]
  first: number
  second: number
  alone: number
  quiet: number
  bundle: number
  recorder: Recorder
}

export async function openWorld(
  url: string,
  closeLater: <One extends { close(): void | Promise<void> }>(one: One) => One,
): Promise<World> {
  const stored = closeLater(await TestDatabase.open(url))
  const first = await stored.createLink('aaaa', 'one', 'two')
  const second = await stored.createLink('bbbb')
  const alone = await stored.createLink('cccc')
  const quiet = await stored.createLink('dddd')
  await stored.run(
    sql`insert into bundle (name, accent, created_by, created_at, updated_at, search_text)
      values ('b', 'red', 'ann', 1, 1, 'b')`,
  )
  for (const id of [first, second, quiet])
    await stored.run(sql`insert into bundle_link (bundle_id, link_id) values (1, ${id})`)
  const slugs: Slug[] = [
    { linkId: first, slug: 'aaaa' },
    { linkId: first, slug: 'one' },
    { linkId: first, slug: 'two' },
    { linkId: second, slug: 'bbbb' },
    { linkId: alone, slug: 'cccc' },
  ]
  return {
    stored,
    slugs,
    first,
    second,
    alone,
    quiet,
    bundle: 1,
    recorder: closeLater(openRecorder(stored.url)),
  }
}

/** Closes hours that are over, as the first click of a new hour does. */
export async function closeHours({ recorder }: Pick<World, 'recorder'>, before: number): Promise<void> {
  while (await recorder.closeHours(before));
}
