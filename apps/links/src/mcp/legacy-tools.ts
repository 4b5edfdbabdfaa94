import { listLegacyPaths } from '../links/legacy/operations.ts'
import { LegacyPathOfLink, LegacyPathQuery } from '../links/legacy/schema.ts'
import { perform } from '../api/perform.ts'
import { MAX_ITEMS, plainList, plainListOf, tool } from './tool.ts'

export const legacyTools = [
  tool({
    name: 'list_legacy_paths',
    title: 'List legacy paths',
    description:
      'Returns paths of another service that links answer as well, such as old codes with capitals, and the link of each. Give a path to find its link.',
    effect: 'read',
    input: { path: LegacyPathQuery.shape.path, domain: LegacyPathQuery.shape.domain },
    output: plainListOf(LegacyPathOfLink),
    run: async (context, { path, domain }) =>
      plainList(await perform(context, listLegacyPaths, { query: { path, domain, limit: MAX_ITEMS } })),
  }),
]
