import { findUnmatchableShape } from './claim-match.ts'
import { CLAIM_SHAPES } from './claim-shapes.ts'
import type { Claims } from './claim-path.ts'
import { type Condition, examineConditions } from './conditions.ts'
import type { ProviderConfig } from './provider-config.ts'
import { findGrouplessShape } from './groups.ts'
import { findTeamlessShape } from './teams.ts'

/** A claim that a setting reads, and that can never match because of its shape (R38.4). */
export interface UnmatchableClaim {
  readonly setting:
    | 'AUTH_REQUIRE'
    | 'ROOMS_ACCESS_REQUIRE'
    | 'AUTH_ADMIN_CLAIM_PATH'
    | 'TEAMIDP_TEAM_CLAIM_PATH'
    | 'ROOMS_GROUPS_CLAIM'
  /** The path, or the condition. */
  readonly claim: string
  /** The shape, with the remedy. Never a value of the person. */
  readonly shape: string
}

export function findUnmatchableClaims(claims: Claims, config: ProviderConfig): readonly UnmatchableClaim[] {
  const { adminClaim, conditions, accessConditions, groupsPath } = config
  const teams = config.mode === 'oauth2' ? null : config.teams
  const conditionsOf = (setting: UnmatchableClaim['setting'], list: readonly Condition[]) =>
    examineConditions(claims, list).map(({ condition, shape }) => ({ setting, claim: condition.text, shape }))
  return [
    ...conditionsOf('AUTH_REQUIRE', conditions),
    ...conditionsOf('ROOMS_ACCESS_REQUIRE', accessConditions ?? []),
    {
      setting: 'AUTH_ADMIN_CLAIM_PATH' as const,
      claim: adminClaim?.path.whole ?? '',
      shape: adminClaim
        ? findUnmatchableShape(claims, { ...adminClaim, values: [adminClaim.value] })
        : undefined,
    },
    {
      setting: 'TEAMIDP_TEAM_CLAIM_PATH' as const,
      claim: teams?.claimPath.whole ?? '',
      shape: teams ? findTeamlessShape(claims, teams) : undefined,
    },
    {
      setting: 'ROOMS_GROUPS_CLAIM' as const,
      claim: groupsPath?.whole ?? '',
      shape: groupsPath ? findGrouplessShape(claims, groupsPath) : undefined,
    },
  ].flatMap(({ shape, ...claim }) => (shape === undefined ? [] : [{ ...claim, shape: CLAIM_SHAPES[shape] }]))
}
