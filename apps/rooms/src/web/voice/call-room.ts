/** Room whose call is joined. */
export interface CallRoom {
  id: string
  name: string
}
