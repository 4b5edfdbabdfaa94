import type { OrderByExpression, SelectQueryBuilder } from 'kysely'
import type { DialectName } from './url.ts'

/**
 * The query with a lock on its rows until the transaction ends, in ascending order of these columns:
 * two transactions that lock several rows never wait for each other. SQLite has a single writer and
 * needs no lock.
 */
export function lockRows<Tables, Table extends keyof Tables, Row>(
  dialect: DialectName,
  query: SelectQueryBuilder<Tables, Table, Row>,
  ...columns: [OrderByExpression<Tables, Table, Row>, ...OrderByExpression<Tables, Table, Row>[]]
): SelectQueryBuilder<Tables, Table, Row> {
  let ordered = query
  for (const column of columns) ordered = ordered.orderBy(column)
  return dialect === 'postgres' ? ordered.forUpdate() : ordered
}

/** The query with a lock that only prevents the deletion of its row until the transaction ends. */
export function keepRow<Tables, Table extends keyof Tables, Row>(
  dialect: DialectName,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return dialect === 'postgres' ? query.forKeyShare() : query
}
