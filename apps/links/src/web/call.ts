import {
  CallError,
  type CallOptions,
  type CallsOf,
  type InputOf,
  type OfId,
  createCalls,
} from '@latchkey/web/call'
import type { z } from 'zod'
import type { analyticsOperations, dashboardOperations } from '../analytics/operations.ts'
import type { explorerOperations } from '../analytics/explorer/operations.ts'
import type { bundleOperations } from '../bundles/operations.ts'
import type { BundlePageQuery } from '../bundles/schema.ts'
import type { defaultsOperations } from '../defaults/operations.ts'
import type { utmTemplateOperations } from '../utm-templates/operations.ts'
import type { domainOperations } from '../domains/operations.ts'
import type { eventOperations } from '../live/operations.ts'
import type { ErrorCode } from '../api/failures.ts'
import type { faviconOperations } from '../destinations/operations.ts'
import type { webhookOperations } from '../webhooks/operations.ts'
import type { keyOperations } from '../keys/operations.ts'
import type { behaviourOperations } from '../links/behaviour/operations.ts'
import type { createLinks, updateLinksInAdmin } from '../bulk/operations.ts'
import type { countLinks } from '../links/list-operations.ts'
import type { listLegacyPaths } from '../links/legacy/operations.ts'
import type { linkOperations } from '../links/operations.ts'
import type { LinkPageQuery, ListedLink } from '../links/schema.ts'
import type { historyOperations } from '../history/operations.ts'
import type { undoOperations } from '../history/undo/operations.ts'
import type { ownershipOperations } from '../ownership/operations.ts'
import type { planOperations } from '../plans/operations.ts'
import type { policyOperations } from '../policies/operations.ts'
import type { preferenceOperations } from '../preferences/operations.ts'
import type { qrPresetOperations } from '../qr/presets/operations.ts'
import type { qrOperations } from '../qr/operations.ts'
import type { explainOperations } from '../explain/operations.ts'
import type { checkSlug } from '../links/slugs/check.ts'
import type { choosePrimarySlug, slugOperations } from '../links/slugs/operations.ts'
import type { sharingOperations } from '../sharing/operations.ts'
import type { transferOperations } from '../transfer/operations.ts'

type Operations =
  | (typeof linkOperations)[number]
  | typeof listLegacyPaths
  | (typeof behaviourOperations)[number]
  | (typeof explainOperations)[number]
  | (typeof slugOperations)[number]
  | (typeof domainOperations)[number]
  | (typeof bundleOperations)[number]
  | (typeof ownershipOperations)[number]
  | (typeof historyOperations)[number]
  | (typeof undoOperations)[number]
  | (typeof planOperations)[number]
  | (typeof analyticsOperations)[number]
  | (typeof dashboardOperations)[number]
  | (typeof explorerOperations)[number]
  | (typeof qrOperations)[number]
  | (typeof qrPresetOperations)[number]
  | (typeof eventOperations)[number]
  | (typeof faviconOperations)[number]
  | (typeof sharingOperations)[number]
  | (typeof transferOperations)[number]
  | (typeof keyOperations)[number]
  | (typeof policyOperations)[number]
  | (typeof webhookOperations)[number]
  | (typeof preferenceOperations)[number]
  | (typeof defaultsOperations)[number]
  | (typeof utmTemplateOperations)[number]
  | typeof createLinks
  | typeof updateLinksInAdmin
  | typeof checkSlug
  | typeof choosePrimarySlug
  | typeof countLinks

type InputWith<Id extends Operations['id'], Query> = InputOf<OfId<Operations, Id>, Query>

/** Operations whose routes accept more forms of paging and state than their own input. */
interface PagedCalls {
  listLinks: { input: InputWith<'listLinks', z.output<typeof LinkPageQuery>>; result: ListedLink[] }
  listBundles: {
    input: InputWith<
      'listBundles',
      Omit<BundlePageQuery, 'archived'> & Pick<z.input<typeof BundlePageQuery>, 'archived'>
    >
  }
}

type DeclaredCalls = CallsOf<Operations>
type Calls = {
  [Id in keyof DeclaredCalls]: Id extends keyof PagedCalls
    ? Omit<DeclaredCalls[Id], keyof PagedCalls[Id]> & PagedCalls[Id]
    : DeclaredCalls[Id]
}

export type OperationId = keyof Calls
export type Input<Id extends OperationId> = Calls[Id]['input']
export type Result<Id extends OperationId> = Calls[Id]['result']

export const { addressOf, request, reply, embedded, call } = createCalls<Calls>({ base: '/_/admin/api' })

interface Reply<Body> {
  body: Body
  /** Number of entries on all pages. */
  total: number
  page: number
  /** Cursor of the next page. Missing on the last page and in lists with numbered pages. */
  next?: string
  /** `ETag` of an answer that holds one link. */
  version?: string
  /** Time of the response, by the server's clock. */
  at: Date
}

/** Calls an operation that returns a list in pages. Rejects with `CallError`. */
export async function callForPage<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options?: CallOptions,
): Promise<Reply<Result<Id>>> {
  return toReply(await reply(id, input, options))
}

/** Returns the answer that the page came with, if it has any. */
export function embeddedForPage<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
): Reply<Result<Id>> | undefined {
  const answer = embedded(id, input)
  return answer && toReply(answer)
}

function toReply<Body>({ body, headers }: { body: Body; headers: Headers }): Reply<Body> {
  const version = headers.get('ETag')
  const next = /[?&]cursor=([^&>]+)/.exec(headers.get('Link') ?? '')?.[1]
  return {
    body,
    total: Number(headers.get('X-Total-Count')),
    page: Number(headers.get('X-Page') ?? 1),
    ...(next !== undefined && { next: decodeURIComponent(next) }),
    ...(version !== null && { version }),
    at: new Date(headers.get('Date') ?? Date.now()),
  }
}

/** True if `error` is a refusal with one of these codes (L25.6). */
export function isRefusal(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  return error instanceof CallError && codes.some((code) => code === error.code)
}

/** The field that a refusal is about, by the codes of each field. */
export function fieldOfRefusal<Field extends string>(
  error: unknown,
  codesOf: Readonly<Record<Field, readonly ErrorCode[]>>,
): Field | undefined {
  return (Object.keys(codesOf) as Field[]).find((field) => isRefusal(error, ...codesOf[field]))
}
