/** The type of a column's values. Integers are times, flags, ids and counts. */
export interface Column {
  readonly type: 'int' | 'text'
  readonly nullable: boolean
}

export interface TableFormat {
  readonly columns: Readonly<Record<string, Column>>
  /** Columns of archives of earlier versions, which `complete` of a restore replaces. */
  readonly formerColumns?: Readonly<Record<string, Column>>
  /** Sort order of the rows. Two exports of the same rows are identical. */
  readonly orderBy: readonly string[]
}

/** Layout of an archive: one file with all the contents of an application's database. */
export interface ArchiveFormat<Table extends string = string> {
  readonly name: string
  readonly version: number
  /**
   * Tables in the order in which they are written and read. A row comes after the rows that it
   * refers to, unless the reference is checked at the commit.
   */
  readonly tables: Readonly<Record<Table, TableFormat>>
  /** Tables with numeric ids that are never reused. The file records the last id of each. */
  readonly numbered: readonly Table[]
  /** Contents that are stored elsewhere follow the rows that refer to them. */
  readonly hasContents?: true
}

export const int: Column = { type: 'int', nullable: false }
export const text: Column = { type: 'text', nullable: false }
export const nullableInt: Column = { type: 'int', nullable: true }
export const nullableText: Column = { type: 'text', nullable: true }

/** The tables of a format in the order in which they are written and read. */
export function tablesOf<Table extends string>(format: ArchiveFormat<Table>): Table[] {
  return Object.keys(format.tables) as Table[]
}
