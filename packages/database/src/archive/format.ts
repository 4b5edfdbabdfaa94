/** What a column holds. Whole numbers are times, flags, ids and counts. */
export interface Column {
  readonly type: 'int' | 'text'
  readonly nullable: boolean
}

export interface TableFormat {
  readonly columns: Readonly<Record<string, Column>>
  /** In which order rows are written, so that two exports of the same rows are the same. */
  readonly orderBy: readonly string[]
}

/** How all that an application's database holds is written to one file, and read from it. */
export interface ArchiveFormat<Table extends string = string> {
  readonly name: string
  readonly version: number
  /** In the order in which they are written and read: what refers to rows comes after them, or is checked at the commit. */
  readonly tables: Readonly<Record<Table, TableFormat>>
  /** Tables whose ids are numbers that are never given twice: the file tells the last one that was. */
  readonly numbered: readonly Table[]
}

export const int: Column = { type: 'int', nullable: false }
export const text: Column = { type: 'text', nullable: false }
export const nullableInt: Column = { type: 'int', nullable: true }
export const nullableText: Column = { type: 'text', nullable: true }

/** In the order in which they are written and read. */
export function tablesOf<Table extends string>(format: ArchiveFormat<Table>): Table[] {
  return Object.keys(format.tables) as Table[]
}
