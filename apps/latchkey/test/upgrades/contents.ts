import { openReader } from '@latchkey/database/database'
import { sql } from 'kysely'

export type Row = Readonly<Record<string, unknown>>
/** The rows of tables by name. */
export type Contents = Readonly<Record<string, readonly Row[]>>

/** All rows of a database, but those of its list of migrations. */
export async function readContents(url: string): Promise<Contents> {
  const reader = openReader<unknown>(url)
  try {
    const contents: Record<string, readonly Row[]> = {}
    for (const table of await listTables(reader.dialect, reader.read)) {
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(reader.read)
      contents[table] = rows
    }
    return contents
  } finally {
    await reader.close()
  }
}

async function listTables(
  dialect: ReturnType<typeof openReader>['dialect'],
  read: ReturnType<typeof openReader<unknown>>['read'],
): Promise<string[]> {
  // Tables of a search index have no rows of ours.
  const query =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_list
          where type = 'table' and name not like 'sqlite_%' and name <> 'migration' order by name`
      : sql<{ name: string }>`select tablename as name from pg_tables
          where schemaname = current_schema() and tablename <> 'migration' order by name`
  return (await query.execute(read)).rows.map(({ name }) => name)
}

/** What an archive of an instance contains, besides the time of the export. */
export function readExport(text: string): { contents: Contents; others: unknown[] } {
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  const { exported_at: _, counts: __, last_ids = {}, ...format } = header as Row
  // A table without a last id had no rows yet.
  const lastIds = Object.entries(last_ids as Record<string, number>).filter(([, id]) => id > 0)
  const contents: Record<string, Row[]> = {}
  const others: unknown[] = [format, Object.fromEntries(lastIds)]
  let columns: readonly string[] = []
  let rows: Row[] = []
  for (const line of lines) {
    const heading = line as { table?: string; columns?: readonly string[] }
    if (Array.isArray(line)) rows.push(Object.fromEntries(columns.map((column, at) => [column, line[at]])))
    else if (heading.table === undefined) others.push(line)
    else {
      columns = heading.columns ?? []
      rows = contents[heading.table] = []
    }
  }
  return { contents, others }
}
