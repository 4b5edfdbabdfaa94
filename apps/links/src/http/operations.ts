import type { AnyOperation } from '@latchkey/http/operation'

import { bundleOperations } from '../bundles/operations.ts'
import type { Context } from '../context.ts'
import { keyOperations } from '../keys/operations.ts'
import { linkOperations } from '../links/operations.ts'
import { preferenceOperations } from '../preferences/operations.ts'
import { qrOperations } from '../qr/operations.ts'
import { slugOperations } from '../slugs/operations.ts'

/** What the public API offers to keys. */
export const apiOperations: readonly AnyOperation<Context>[] = [
  ...linkOperations,
  ...slugOperations,
  ...bundleOperations,

  ...qrOperations,
]

/** What the admin side offers to people, beside pages. */
export const adminOperations: readonly AnyOperation<Context>[] = [...keyOperations, ...preferenceOperations]
