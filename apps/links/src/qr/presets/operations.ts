import type { Selectable } from 'kysely'
import { z } from 'zod'
import { operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import { IdParams } from '../../api/fields.ts'
import type { Tables } from '../../db/tables.ts'
import { NewQrPreset, QrPreset } from './schema.ts'
import { deleteQrPresetRow, findQrPresets, insertQrPreset, lockQrPresets, updateQrPreset } from './store.ts'

const MAX_PRESETS = 30

const scope = 'admin'
const tag = 'QR codes'

function toPreset({ id, name, style }: Selectable<Tables['qr_preset']>): QrPreset {
  return { id, name, style: JSON.parse(style) as QrPreset['style'] }
}

/** Personal preferences, which leave no history (L32.4f). */
export const qrPresetOperations = [
  operation({
    id: 'listQrPresets',
    methods: ['GET'],
    path: '/qr-presets',
    scope,
    tag,
    summary: 'Your styles of QR codes, oldest first',
    result: z.array(QrPreset),
    handler: async ({ database, identity }) => (await findQrPresets(database.read, identity)).map(toPreset),
  }),
  operation({
    id: 'saveQrPreset',
    methods: ['PUT'],
    path: '/qr-presets',
    scope,
    tag,
    summary: 'Save a style of QR codes; one of this name is replaced',
    body: NewQrPreset,
    result: QrPreset,
    failures: ['too_many_qr_presets'],
    handler: ({ database, identity }, { body: { name, style } }) =>
      database.write(async (tx) => {
        const presets = await lockQrPresets(tx, database.dialect, identity)
        const present = presets.find((preset) => preset.name === name)
        if (present) return toPreset(await updateQrPreset(tx, present.id, JSON.stringify(style)))
        if (presets.length >= MAX_PRESETS) throw failure('too_many_qr_presets')
        return toPreset(await insertQrPreset(tx, { identity, name, style: JSON.stringify(style) }))
      }),
  }),
  operation({
    id: 'deleteQrPreset',
    methods: ['DELETE'],
    path: '/qr-presets/{id}',
    scope,
    tag,
    summary: 'Delete a style of QR codes',
    params: IdParams,
    result: z.object({ deleted: z.literal(true) }),
    failures: ['qr_preset_not_found'],
    async handler({ database, identity }, { params }) {
      const isDeleted = await database.write((tx) => deleteQrPresetRow(tx, identity, params.id))
      if (!isDeleted) throw failure('qr_preset_not_found')
      return { deleted: true as const }
    },
  }),
]
