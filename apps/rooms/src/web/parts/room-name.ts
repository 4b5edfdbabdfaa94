import type { Room } from '../live/frames.ts'
import type { Translate } from '../texts/text.ts'

/** The room as the page calls it: a direct conversation whose other accounts were all deleted has no names. */
export function named<Named extends Pick<Room, 'name' | 'people'>>(room: Named, t: Translate): Named {
  return room.people?.length === 0 ? { ...room, name: t('person.erased') } : room
}
