import { z } from 'zod'
import { codePoints, text } from '@latchkey/http/text'
import type { RoleGrantRow, UserRow } from '../db/tables.ts'
import { DEFAULT_LIMITS } from '../api/limits.ts'
import { NextCursor, PageQuery } from '../api/paging.ts'
import { CLAIM_PROBLEMS, CLAIM_RULES, readClaimsText } from '../login/explain-claims.ts'
import { PlatformSettings } from '../platform/schema.ts'
import { Id, Moment, Success, toMoment } from '../api/wire.ts'
import { AvatarUrl, avatarUrlOf } from '../users/picture-url.ts'

const GrantSource = z.enum(['bootstrap', 'claim', 'manual', 'teamidp'])

/** A user, with the fields that administrators may see. */
export const ManagedUser = z
  .object({
    id: z.string(),
    nickname: z.string(),
    email: z.string().nullable(),
    avatarColor: z.string(),
    avatarUrl: AvatarUrl,
    disabled: z.boolean(),
    createdAt: Moment,
    lastSeenAt: Moment,
    identityType: z.enum(['oauth', 'guest']),
    roleSources: z.array(
      z.object({ role: z.string(), scopeType: z.string(), scopeId: z.string(), source: GrantSource }),
    ),
  })
  .meta({ id: 'ManagedUser' })
export type ManagedUser = z.output<typeof ManagedUser>

export function toManagedUser(user: UserRow, grants: readonly RoleGrantRow[]): ManagedUser {
  return {
    id: user.id,
    nickname: user.nickname,
    email: user.email,
    avatarColor: user.avatar_color,
    avatarUrl: avatarUrlOf(user.picture_id),
    disabled: user.disabled === 1,
    createdAt: toMoment(user.created_at),
    lastSeenAt: toMoment(user.last_seen_at),
    identityType: user.is_guest === 1 ? 'guest' : 'oauth',
    roleSources: grants
      .filter(({ user_id }) => user_id === user.id)
      .map((grant) => ({
        role: grant.role,
        scopeType: grant.scope_type,
        scopeId: grant.scope_id,
        source: grant.source,
      })),
  }
}

const MAX_SEARCH_LENGTH = 320

/** Empty, an id, or at least two characters: a single one would match half of all users. */
const Search = text()
  .transform((value) => value.trim())
  .refine((q) => codePoints(q) !== 1, 'must have at least 2 characters')
  .refine((q) => codePoints(q) <= MAX_SEARCH_LENGTH, `must have at most ${MAX_SEARCH_LENGTH} characters`)
  .meta({ maxLength: MAX_SEARCH_LENGTH })

export const UserQuery = PageQuery.extend({
  q: Search.optional().meta({ description: 'An id, a part of a name, or an exact email address.' }),
})

export const UserPage = z.object({ users: z.array(ManagedUser), nextCursor: NextCursor })
export const UserParams = z.object({ userId: Id })
export const UserAnswer = z.object({ user: ManagedUser })
export const StatusBody = z.object({ disabled: z.boolean() })

export const PlatformAdminBody = z.object({ granted: z.boolean() })
export const PlatformAdminAnswer = Success.extend({
  changed: z.boolean(),
  remaining: z.array(GrantSource).meta({ description: 'The remaining sources of the right.' }),
})

/** All limits with their values in force (R22). */
const LimitValues = z
  .object(Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, z.int()])))
  .meta({ id: 'Limits' })

export const SettingsAnswer = z.object({ settings: PlatformSettings, limits: LimitValues })

export const ProviderAnswer = z
  .object({
    mode: z.enum(['teamidp', 'oidc', 'oauth2']),
    issuer: z.string(),
    label: z.string(),
    conditions: z
      .array(z.string())
      .meta({ description: 'The conditions of `AUTH_REQUIRE` that people must meet to sign in.' }),
    openProvider: z.string().nullable().meta({
      description: 'The provider, if everyone in the world can have an account there and sign in.',
    }),
    discovery: z.object({
      ok: z.boolean(),
      checkedAt: Moment.nullable(),
      code: z
        .string()
        .nullable()
        .meta({ description: 'The code of a failed login: `provider_unavailable`.' }),
      error: z.string().nullable(),
    }),
    endpoints: z.record(z.string(), z.string()),
    pkce: z.enum(['S256', 'none']),
    tokenAuthMethod: z.string(),
    idTokenAlg: z.string().nullable(),
    register: z
      .object({
        redirectUri: z.string(),
        backchannelLogoutUri: z
          .string()
          .nullable()
          .meta({ description: 'Null while back-channel logout is off.' }),
        postLogoutRedirectUri: z.string(),
      })
      .meta({ description: 'The URLs to register at the provider, exactly as written.' }),
    lastLogoutToken: z.object({ at: Moment, result: z.enum(['accepted', 'rejected']) }).nullable(),
    unreachableAccounts: z
      .int()
      .meta({ description: 'Accounts of earlier providers, which cannot be signed in to.' }),
    inheritableAccounts: z.int().meta({
      description:
        'Accounts created before the userinfo URL or the subject path changed. A user with an equal subject signs in to them.',
    }),
  })
  .meta({ id: 'ProviderStatus' })

export const ClaimsBody = z.object({
  text: text()
    .transform((value, context) => {
      const read = readClaimsText(value)
      if (!('fault' in read)) return read
      context.addIssue({ code: 'custom', message: read.fault })
      return z.NEVER
    })
    .meta({
      description:
        'Claims as a JSON object, or an ID token, whose signature is not checked. Neither is stored, logged or audited.',
    }),
})

export const ClaimsExplanation = z
  .object({
    isToken: z.boolean().meta({ description: 'The text was a token; its signature was not checked.' }),
    maySignIn: z
      .boolean()
      .meta({ description: 'Whether each rule `token`, `condition`, `subject` and `name` holds.' }),
    subject: z.string().nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    isAdmin: z.boolean().meta({ description: 'By the claim; the first person and appointed ones are too.' }),
    ownedTeams: z.array(z.string()),
    groups: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Null if they are not known: memberships by groups stay as they are.' }),
    rules: z.array(
      z.object({
        rule: z.enum(CLAIM_RULES),
        setting: z.string(),
        path: z.string().nullable(),
        expected: z.array(z.string()).meta({ description: 'The values of which one must be there.' }),
        claim: z.string().nullable().meta({ description: 'The claim, cut to 200 characters.' }),
        holds: z.boolean(),
        problem: z.enum(CLAIM_PROBLEMS).nullable(),
      }),
    ),
  })
  .meta({ id: 'ClaimsExplanation' })
