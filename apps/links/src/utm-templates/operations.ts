import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { IdParams } from '../api/fields.ts'
import type { Tx } from '../db/tables.ts'
import { NewUtmTemplate, UtmTemplate } from './schema.ts'
import { countTemplates, findTemplate, selectTemplates, toColumns, toTemplate } from './store.ts'

const MAX_TEMPLATES = 100

const tag = 'Settings'

/** Throws unless the caller may change the template: their own, or as an administrator a shared one. */
async function requireWritable(tx: Tx, { identity, isAdmin }: Context, id: number): Promise<void> {
  const row = await findTemplate(tx, id, identity)
  if (!row) throw failure('utm_template_not_found')
  if (row.shared === 1 && !isAdmin) throw failure('not_admin')
}

/** Templates of UTM parameters, of a person or of everyone (L47.4). */
export const utmTemplateOperations = [
  operation({
    id: 'listUtmTemplates',
    methods: ['GET'],
    path: '/utm-templates',
    scope: 'admin',
    tag,
    summary: 'Your UTM templates and those of everyone, by name',
    result: z.array(UtmTemplate),
    handler: async ({ database, identity }) =>
      (await selectTemplates(database.read, identity)).map(toTemplate),
  }),
  operation({
    id: 'createUtmTemplate',
    methods: ['POST'],
    path: '/utm-templates',
    scope: 'admin',
    tag,
    summary: 'Create a UTM template',
    body: NewUtmTemplate,
    result: UtmTemplate,
    status: 201,
    failures: ['too_many_utm_templates', 'not_admin'],
    async handler({ database, identity, isAdmin, now }, { body }) {
      if (body.shared && !isAdmin) throw failure('not_admin')
      return database.write(async (tx) => {
        if ((await countTemplates(tx, database.dialect, identity)) >= MAX_TEMPLATES)
          throw failure('too_many_utm_templates')
        const row = await tx
          .insertInto('utm_template')
          .values({ ...toColumns(body), identity, created_at: now })
          .returningAll()
          .executeTakeFirstOrThrow()
        return toTemplate(row)
      })
    },
  }),
  operation({
    id: 'updateUtmTemplate',
    methods: ['PUT'],
    path: '/utm-templates/{id}',
    scope: 'admin',
    tag,
    summary: 'Replace a UTM template',
    params: IdParams,
    body: NewUtmTemplate,
    result: UtmTemplate,
    failures: ['utm_template_not_found', 'not_admin'],
    async handler(context, { params: { id }, body }) {
      if (body.shared && !context.isAdmin) throw failure('not_admin')
      return context.database.write(async (tx) => {
        await requireWritable(tx, context, id)
        const row = await tx
          .updateTable('utm_template')
          .set(toColumns(body))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        if (!row) throw failure('utm_template_not_found')
        return toTemplate(row)
      })
    },
  }),
  operation({
    id: 'deleteUtmTemplate',
    methods: ['DELETE'],
    path: '/utm-templates/{id}',
    scope: 'admin',
    tag,
    summary: 'Delete a UTM template',
    params: IdParams,
    result: z.object({ deleted: z.literal(true) }),
    failures: ['utm_template_not_found', 'not_admin'],
    async handler(context, { params: { id } }) {
      await context.database.write(async (tx) => {
        await requireWritable(tx, context, id)
        await tx.deleteFrom('utm_template').where('id', '=', id).execute()
      })
      return { deleted: true as const }
    },
  }),
]
