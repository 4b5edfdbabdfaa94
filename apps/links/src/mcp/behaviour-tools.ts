import { z } from 'zod'
import { DomainQuery } from '../domains/schema.ts'
import { explainSlug } from '../explain/operations.ts'
import { Explanation, VisitQuery } from '../explain/schema.ts'
import { getBehaviour, setBehaviour } from '../links/behaviour/operations.ts'
import { Behaviour, NewBehaviour } from '../links/behaviour/schema.ts'
import { MAX_MOMENT } from '../api/fields.ts'
import { MAX_SLUG_LENGTH } from '../urls/slug.ts'
import { perform } from '../api/perform.ts'
import { LinkId, tool } from './tool.ts'

export const behaviourTools = [
  tool({
    name: 'explain_redirect',
    title: 'Explain a redirect',
    description:
      'Explains where a slug leads a visitor, why, as what the visit is counted, and when that changes. Counts nothing and uses nothing up. Give the user agent and country of the visitor you mean: by default they are yours.',
    effect: 'read',
    input: {
      slug: z.string().meta({ description: 'Any slug of the link.', maxLength: MAX_SLUG_LENGTH }),
      domain: DomainQuery,
      ...VisitQuery.shape,
      at: z.int().min(0).max(MAX_MOMENT).optional().meta({ description: 'Unix seconds; now by default.' }),
    },
    output: Explanation,
    run: (context, { slug, at, ...visit }) =>
      perform(context, explainSlug, {
        params: { slug },
        query: { ...visit, ...(at !== undefined && { at: String(at) }) },
      }),
  }),
  tool({
    name: 'get_link_behaviour',
    title: 'Read the behaviour of a link',
    description:
      'Reads where a link leads besides its URL: rules, split, start, limit, password and fallbacks. Empty if it only leads to its URL.',
    effect: 'read',
    input: { link_id: LinkId },
    output: Behaviour,
    run: (context, { link_id }) => perform(context, getBehaviour, { params: { id: link_id } }),
  }),
  tool({
    name: 'set_link_behaviour',
    title: 'Change the behaviour of a link',
    description:
      'Replaces the whole behaviour of a link that you own: read it with get_link_behaviour first, and give everything that should stay. An empty behaviour removes it. The password stays unless you give a new one or null.',
    effect: 'set',
    input: { link_id: LinkId, behaviour: NewBehaviour },
    output: Behaviour,
    run: (context, { link_id, behaviour }) =>
      perform(context, setBehaviour, { params: { id: link_id }, body: behaviour }),
  }),
]
