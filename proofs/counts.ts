import type { Ledger } from '../apps/links/test/durability/ledger.ts'
import type { RoomsLoad } from '../apps/rooms/test/durability/rooms-load.ts'

export function linksCounts({ writes, visits }: Ledger): Record<string, number> {
  const sum = <Key extends string>(rows: Iterable<Record<Key, number>>, of: Key) =>
    [...rows].reduce((total, row) => total + row[of], 0)
  return {
    'writes answered': sum(Object.values(writes), 'answered'),
    'writes without an answer': sum(Object.values(writes), 'unanswered'),
    'redirects answered': sum(visits.values(), 'redirected'),
    'redirects without an answer': sum(visits.values(), 'unanswered'),
  }
}

export function roomsCounts({ ledger, reconnects, signedOut }: RoomsLoad): Record<string, number> {
  return {
    'messages acknowledged': ledger.acknowledged,
    'requests sent again': ledger.unanswered,
    'found stored already': ledger.repeated,
    'sockets opened again': reconnects,
    'sessions ended': signedOut,
  }
}
