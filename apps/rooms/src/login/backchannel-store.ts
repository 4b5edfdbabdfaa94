import type { Transaction } from 'kysely'
import type { LogoutMarkerRow, LogoutTokenRow, Tables } from '../db/tables.ts'

/** The markers that name this session of the provider or this person. */
export async function findMarkers(
  tx: Transaction<Tables>,
  { issuer, sub, sid }: { issuer: string; sub: string; sid: string | null },
): Promise<LogoutMarkerRow[]> {
  return tx
    .selectFrom('logout_markers')
    .selectAll()
    .where('issuer', '=', issuer)
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'sub'), eb('value', '=', sub)]),
        ...(sid === null ? [] : [eb.and([eb('kind', '=', 'sid'), eb('value', '=', sid)])]),
      ]),
    )
    .execute()
}

/** Of two markers for the same, the later of each member counts: a login refused too often is only begun again. */
export async function putMarker(tx: Transaction<Tables>, marker: LogoutMarkerRow): Promise<void> {
  await tx
    .insertInto('logout_markers')
    .values(marker)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'kind', 'value']).doUpdateSet((eb) => {
        const later = (column: 'iat' | 'received_at' | 'expires_at') =>
          eb
            .case()
            .when(`excluded.${column}`, '>', eb.ref(`logout_markers.${column}`))
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`logout_markers.${column}`))
            .end()
        return { iat: later('iat'), received_at: later('received_at'), expires_at: later('expires_at') }
      }),
    )
    .execute()
}

/** Whether the token was not seen before; a transaction that is about to remember the same one is waited for. */
export async function rememberToken(tx: Transaction<Tables>, token: LogoutTokenRow): Promise<boolean> {
  const remembered = await tx
    .insertInto('logout_tokens')
    .values(token)
    .onConflict((conflict) => conflict.columns(['issuer', 'jti']).doNothing())
    .returning('jti')
    .executeTakeFirst()
  return remembered !== undefined
}

/** By what `sub` the provider's session is known here: one, or several where the provider uses a `sid` twice. */
export async function findSubjectsOf(
  tx: Transaction<Tables>,
  issuer: string,
  sid: string,
): Promise<(string | null)[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('idp_sub')
    .distinct()
    .where('idp_issuer', '=', issuer)
    .where('idp_sid', '=', sid)
    .execute()
  return rows.map(({ idp_sub }) => idp_sub)
}
