// The mode `teamidp`: OpenID Connect, and the teams that a user owns (R4.2, R9.5, C89).
import type { Log } from '@latchkey/http/log'
import { type Claims, readClaim, readFirstClaim } from '../identity/claim-path.ts'
import { identifierOf } from './identity.ts'
import { createOidcProvider } from './oidc.ts'
import type { OidcConfig, TeamsConfig } from '../identity/provider-config.ts'
import type { Provider } from './provider.ts'
import type { JsonObject } from './strict-jws.ts'
import type { ProviderDependencies } from './provider-dependencies.ts'

export function createTeamidpProvider(config: OidcConfig, dependencies: ProviderDependencies): Provider {
  const { teams } = config
  return createOidcProvider(config, dependencies, (claims) =>
    teams === null ? [] : ownedTeams(claims, teams, dependencies.log),
  )
}

/** Distinct ids of the teams in which the user's role counts as owner. */
function ownedTeams(claims: Claims, teams: TeamsConfig, log: Pick<Log, 'warn'>): readonly string[] {
  const claim = readFirstClaim(claims, teams.claimPath)
  if (typeof claim !== 'object' || claim === null) {
    if (claim !== undefined)
      log.warn('teams: the claim is neither a list nor an object and is ignored', {
        claim: teams.claimPath.whole,
      })
    return []
  }
  // Keycloak sends an object with the alias of each team as its key.
  const list: unknown[] = Array.isArray(claim) ? claim : Object.values(claim)
  const entries = list.filter((team): team is JsonObject => typeof team === 'object' && team !== null)
  if (list.length > 0 && entries.length === 0)
    log.warn('teams: the claim lists plain values instead of objects with an id and a role', {
      claim: teams.claimPath.whole,
    })
  const owned = entries
    .filter((team) => isOwner(readClaim(team, teams.rolePath), teams.ownerRoles))
    .map((team) => identifierOf(readClaim(team, teams.idPath)))
    .filter((id) => id !== undefined)
    .filter((id) => teams.teamId === null || teams.teamId === id)
  return [...new Set(owned)]
}

/** `role` is one role, or a list of all roles that the person has. */
function isOwner(role: unknown, ownerRoles: readonly string[]): boolean {
  const roles: unknown[] = Array.isArray(role) ? role : [role]
  return ownerRoles.some((ownerRole) => roles.includes(ownerRole))
}
