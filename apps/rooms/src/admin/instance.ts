import { z } from 'zod'
import { auditAct, auditRead } from '../audit/act.ts'
import { toCsv } from '../audit/csv.ts'
import { findNames } from '../audit/names.ts'
import { AuditFilter, AuditPage, AuditQuery, toAuditLine } from '../audit/schema.ts'
import { findNewestAudit, listAudit } from '../audit/store.ts'
import { type Context, operation } from '../api/context.ts'
import { registeredAddresses } from '../login/registered-addresses.ts'
import { findPage } from '../api/paging.ts'
import { updatePlatformSettings } from '../platform/operations.ts'
import { countInheritableAccounts } from '../platform/provider-change.ts'
import { PlatformChanges } from '../platform/schema.ts'
import { countUnreachableAccounts, findPlatformSettings } from '../platform/store.ts'
import { toMoment, toMomentOrNull } from '../api/wire.ts'
import { requireAdmin } from './own-session.ts'
import { ClaimsBody, ClaimsExplanation, ProviderAnswer, SettingsAnswer } from './schema.ts'

const tag = 'Administration'

const getPlatformSettings = operation({
  id: 'getPlatformSettings',
  methods: ['GET'],
  path: '/admin/settings',
  scope: 'admin',
  tag,
  summary: 'Read the name and texts of the instance, and the limits in force',
  result: SettingsAnswer,
  handler: async ({ database, policy }) => ({
    settings: await findPlatformSettings(database.read),
    limits: policy.limits,
  }),
})

const changePlatformSettings = operation({
  id: 'changePlatformSettings',
  methods: ['PATCH'],
  path: '/admin/settings',
  scope: 'admin',
  tag,
  summary: 'Change the name and texts of the instance; null deletes a value, omitted fields keep theirs',
  body: PlatformChanges,
  result: SettingsAnswer,
  async handler(context, { body }) {
    const { database, policy, now } = context
    const settings = await database.write(async (tx) => {
      await requireAdmin(tx, context)
      const changed = await updatePlatformSettings(tx, body, now)
      await auditAct(tx, context, { action: 'admin.settings.update', metadata: body })
      return changed
    })
    return { settings, limits: policy.limits }
  },
})

const getProviderStatus = operation({
  id: 'getProviderStatus',
  methods: ['GET'],
  path: '/admin/provider',
  scope: 'admin',
  tag,
  summary: 'Read the status of the identity provider and the values to register there',
  result: ProviderAnswer,
  async handler(context) {
    const { database, policy } = context
    const { discovery, ...status } = await context.provider.status()
    const { checkedAtMs, ...checked } = discovery
    return {
      ...status,
      discovery: { ...checked, checkedAt: toMomentOrNull(checkedAtMs) },
      conditions: [...status.conditions],
      endpoints: { ...status.endpoints },
      register: { ...registeredAddresses(policy.canonicalOrigin, policy.backchannelLogout) },
      lastLogoutToken: await lastLogoutToken(context),
      unreachableAccounts: await countUnreachableAccounts(database.read, status.issuer),
      inheritableAccounts: await countInheritableAccounts(database.read, status.issuer),
    }
  },
})

const explainClaims = operation({
  id: 'explainClaims',
  methods: ['POST'],
  path: '/admin/provider/claims',
  scope: 'admin',
  tag,
  summary: 'Explain, rule by rule, what a login with these claims would do; nothing is stored',
  body: ClaimsBody,
  result: ClaimsExplanation,
  handler: async ({ provider }, { body }) => ({
    isToken: body.text.isToken,
    ...provider.explainClaims(body.text.claims),
  }),
})

async function lastLogoutToken({ database }: Context) {
  const event = await findNewestAudit(database.read, ['auth.backchannel_logout', 'auth.backchannel_rejected'])
  if (!event) return null
  const result = event.action === 'auth.backchannel_logout' ? ('accepted' as const) : ('rejected' as const)
  return { at: toMoment(event.created_at), result }
}

const listAuditEvents = operation({
  id: 'listAuditEvents',
  methods: ['GET'],
  path: '/admin/audit',
  scope: 'admin',
  tag,
  summary: 'Read the audit log, newest first',
  query: AuditQuery,
  result: AuditPage,
  async handler(context, { query }) {
    const { database } = context
    const { action, actorUserId, targetType, targetId, before } = query
    const key = ['audit', action, actorUserId, targetType, targetId, before]
    const { rows, nextCursor } = await findPage(key, query, (after, limit) =>
      listAudit(database.read, query, after, limit),
    )
    const metadata = { action, actorUserId, targetType, targetId, before }
    await auditRead(context, { action: 'admin.audit.read', metadata })
    return { events: rows.map(toAuditLine), names: await findNames(database, rows), nextCursor }
  },
})

/** The most entries in a file, which is built in memory. */
const MAX_EXPORTED = 10_000

const exportAuditEvents = operation({
  id: 'exportAuditEvents',
  methods: ['GET'],
  path: '/admin/audit/export',
  scope: 'admin',
  tag,
  summary: `Download the newest ${MAX_EXPORTED} matching entries of the audit log as CSV`,
  query: AuditFilter,
  result: z.string(),
  media: { 'text/csv': 'One record for each entry, newest first' },
  async handler(context, { query }) {
    const { database } = context
    const rows = await listAudit(database.read, query, undefined, MAX_EXPORTED)
    await auditRead(context, { action: 'admin.audit.read', metadata: query })
    return toCsv(rows, await findNames(database, rows))
  },
  answer: (body) => ({
    body,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="latchkey-audit-log.csv"',
    },
  }),
})

export const instanceOperations = [
  getPlatformSettings,
  changePlatformSettings,
  getProviderStatus,
  explainClaims,
  listAuditEvents,
  exportAuditEvents,
]
