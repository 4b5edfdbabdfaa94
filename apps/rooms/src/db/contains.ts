import type { DialectName } from '@latchkey/database/url'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether `part` stands somewhere in a column, as it is: nothing in it stands for anything else. */
export function contains(dialect: DialectName, column: string, part: string): RawBuilder<SqlBool> {
  return dialect === 'sqlite'
    ? sql<SqlBool>`instr(${sql.ref(column)}, ${part}) > 0`
    : sql<SqlBool>`strpos(${sql.ref(column)}, ${part}) > 0`
}
