import type { ClaimShape } from './claim-shapes.ts'
import { type Claims, readClaim, readFirstClaim } from './claim-path.ts'
import { identifierOf } from './identifier.ts'
import type { TeamsConfig } from './provider-config.ts'

/** Distinct ids of the teams in which the person's role counts as owner (R9.5, C89). */
export function ownedTeams(claims: Claims, teams: TeamsConfig): readonly string[] {
  const owned = entriesOf(readFirstClaim(claims, teams.claimPath))
    .filter(isEntry)
    .filter((team) => isOwner(readClaim(team, teams.rolePath), teams.ownerRoles))
    .map((team) => identifierOf(readClaim(team, teams.idPath)))
    .filter((id) => id !== undefined)
    .filter((id) => teams.teamId === null || teams.teamId === id)
  return [...new Set(owned)]
}

/** Why a claim of this shape names no team. */
export function findTeamlessShape(claims: Claims, { claimPath }: TeamsConfig): ClaimShape | undefined {
  const claim = readFirstClaim(claims, claimPath)
  if (claim === undefined) return undefined
  if (typeof claim !== 'object' || claim === null) return 'no_list'
  const entries = entriesOf(claim)
  return entries.length > 0 && !entries.some(isEntry) ? 'plain_list' : undefined
}

/** Keycloak sends an object with the alias of each team as its key. */
function entriesOf(claim: unknown): unknown[] {
  if (Array.isArray(claim)) return claim
  return typeof claim === 'object' && claim !== null ? Object.values(claim) : []
}

function isEntry(team: unknown): team is Claims[number] {
  return typeof team === 'object' && team !== null
}

/** `role` is one role, or a list of all roles that the person has. */
function isOwner(role: unknown, ownerRoles: readonly string[]): boolean {
  const roles: unknown[] = Array.isArray(role) ? role : [role]
  return ownerRoles.some((ownerRole) => roles.includes(ownerRole))
}
