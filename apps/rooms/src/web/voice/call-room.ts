import type { Pictured } from '../parts/person.tsx'

/** Room whose call is joined. */
export interface CallRoom {
  id: string
  name: string
  kind?: 'room' | 'direct'
  /** The others of a direct conversation, who may be absent. */
  people?: readonly ({ id: string } & Pictured)[] | null
}
