import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Kysely, Selectable } from 'kysely'
import type { Tables, Tx } from '../../db/tables.ts'

type QrPresetRow = Selectable<Tables['qr_preset']>

export function findQrPresets(db: Kysely<Tables>, identity: string): Promise<QrPresetRow[]> {
  return db.selectFrom('qr_preset').selectAll().where('identity', '=', identity).orderBy('id').execute()
}

/** The presets of a person. Until the transaction ends, other writes of theirs wait. */
export async function lockQrPresets(tx: Tx, dialect: DialectName, identity: string): Promise<QrPresetRow[]> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(`qr preset ${identity}`))))
  return findQrPresets(tx, identity)
}

export async function insertQrPreset(tx: Tx, preset: Omit<QrPresetRow, 'id'>): Promise<QrPresetRow> {
  return tx.insertInto('qr_preset').values(preset).returningAll().executeTakeFirstOrThrow()
}

export async function updateQrPreset(tx: Tx, id: number, style: string): Promise<QrPresetRow> {
  return tx
    .updateTable('qr_preset')
    .set({ style })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** False if the person has no such preset. */
export async function deleteQrPresetRow(tx: Tx, identity: string, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('qr_preset')
    .where('identity', '=', identity)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0
}
