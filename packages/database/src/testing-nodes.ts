/** A database of PostgreSQL that several nodes share. */
export interface SharedDatabase {
  /** The database as each node reaches it. */
  urls: readonly [string, ...string[]]
  /** The database as the checks reach it. */
  checkedUrl: string
  /** Resolves when the server has ended all that this node had begun. */
  waitForEndOf(node: number): Promise<void>
}
