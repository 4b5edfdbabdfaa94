import { z } from 'zod'
import { PageQuery, pageLimit } from '../../api/fields.ts'
import { boundedText } from '../../api/text.ts'
import { DomainQuery, OwnDomain } from '../../domains/schema.ts'
import { MAX_LEGACY_PATH_BYTES } from '../../urls/legacy-path.ts'

/** A path of another service that a link answers as well (L43.1). */
export const LegacyPath = z
  .object({
    path: z.string().meta({
      description: 'Decoded, without its leading slash; matched exactly, with its case and slashes.',
    }),
    source: z.string().meta({
      description:
        'The format of the file that it was imported from, such as `yourls`; `cli` for one that an operator added.',
    }),
    created_at: z.int(),
  })
  .meta({ id: 'LegacyPath' })

export const LegacyPathOfLink = LegacyPath.extend({ link_id: z.int(), domain: OwnDomain }).meta({
  id: 'LegacyPathOfLink',
})
export type LegacyPathOfLink = z.output<typeof LegacyPathOfLink>

export const LegacyPathQuery = z.object({
  path: boundedText(MAX_LEGACY_PATH_BYTES).optional().meta({
    description: 'Only this path, decoded; a slash before it is left out.',
  }),
  domain: DomainQuery.meta({
    description: 'Host of a short domain; without it, legacy paths of all domains.',
  }),
  cursor: PageQuery.shape.cursor,
  limit: pageLimit(1_000, 100),
})
export type LegacyPathQuery = z.output<typeof LegacyPathQuery>
