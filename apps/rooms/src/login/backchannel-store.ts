import type { LogoutMarkerRow, LogoutTokenRow, Tx } from '../db/tables.ts'

/** Finds the markers of this session of the provider or of this subject. */
export async function findMarkers(
  tx: Tx,
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

/**
 * If a marker exists, each of its times becomes the later of both. A login that is refused without
 * need can be started again.
 */
export async function putMarker(tx: Tx, marker: LogoutMarkerRow): Promise<void> {
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

/**
 * Stores a token. Returns false if it was stored before. Waits for other transactions that store
 * the same token.
 */
export async function storeToken(tx: Tx, token: LogoutTokenRow): Promise<boolean> {
  const stored = await tx
    .insertInto('logout_tokens')
    .values(token)
    .onConflict((conflict) => conflict.columns(['issuer', 'jti']).doNothing())
    .returning('jti')
    .executeTakeFirst()
  return stored !== undefined
}

/**
 * The subjects of sessions with this `sid`. There are several if the provider uses a `sid` more
 * than once.
 */
export async function findSubjectsOf(tx: Tx, issuer: string, sid: string): Promise<(string | null)[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('idp_sub')
    .distinct()
    .where('idp_issuer', '=', issuer)
    .where('idp_sid', '=', sid)
    .execute()
  return rows.map(({ idp_sub }) => idp_sub)
}
