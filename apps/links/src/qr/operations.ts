import { Failure, transportFailure } from '@latchkey/http/failure'
import { z } from 'zod'
import { operation } from '../api/context.ts'
import { failure, failures } from '../api/failures.ts'
import { QrSizeTooSmall, QrUnreadable } from '../api/qr-failures.ts'
import { IdParams } from '../api/fields.ts'
import { requireLink } from '../links/operations.ts'
import { SlugQuery } from '../links/slugs/schema.ts'
import { shortUrl } from '../urls/host.ts'
import { slugKey } from '../urls/slug.ts'
import { findSlug } from '../links/slugs/store.ts'
import { CodeThread } from './code-thread.ts'
import type { CodeImage, CodeOptions } from './create-code.ts'
import { QrStyleFields, requireContrast } from './schema.ts'

/** Seconds after which a thread that was busy has probably time. */
const RETRY = { 'Retry-After': '2' }

const thread = new CodeThread()

const QrQuery = requireContrast(
  z.object({
    slug: SlugQuery.optional().meta({
      description: 'A slug of this link, enabled or disabled; the primary slug by default.',
    }),
    format: z
      .enum(['svg', 'png', 'pdf'])
      .optional()
      .meta({ description: 'The image format. By default PNG for `Accept: image/png`, otherwise SVG.' }),
    ...QrStyleFields,
  }),
)

/** The code encodes the short URL with a mark, which makes its clicks count as `qr`. */
export function qrText(origin: string, key: string): string {
  return `${shortUrl(origin, key)}?utm_medium=qr`
}

export const getLinkQr = operation({
  id: 'getLinkQr',
  methods: ['GET'],
  path: '/links/{id}/qr',
  scope: 'read',
  tag: 'QR codes',
  summary: 'Create a QR code of the short URL',
  params: IdParams,
  query: QrQuery,
  result: z.unknown(),
  media: {
    'image/svg+xml': 'The code as SVG',
    'image/png': 'The code as PNG',
    'application/pdf': 'The code as PDF',
  },
  failures: [
    'link_not_found',
    'slug_not_found',
    'qr_too_small',
    'qr_too_long',
    'qr_unreadable',
    'qr_unchecked',
  ],
  async handler(context, { params, query }) {
    const link = await requireLink(context, params.id)
    const key = query.slug === undefined ? link.primary_slug : slugKey(link.domain, query.slug)
    const row = await findSlug(context.database.read, key)
    if (row?.link_id !== link.id) throw failure('slug_not_found')
    const format = query.format ?? (context.acceptsPng ? 'png' : 'svg')
    return drawOrFail(context.identity, { ...query, format, text: qrText(context.origin, row.slug) })
  },
  answer: (image) => ({
    body: image.body,
    headers: { 'Content-Type': image.contentType, 'Cache-Control': 'private, max-age=300', Vary: 'Accept' },
  }),
})

async function drawOrFail(identity: string, options: CodeOptions): Promise<CodeImage> {
  const reply = await thread.run(identity, options)
  if ('image' in reply) return reply.image
  switch (reply.refusal) {
    case 'too_small':
      throw new QrSizeTooSmall(reply.minSize)
    case 'too_long':
      throw failure('qr_too_long')
    case 'unreadable':
      throw new QrUnreadable(reply.field)
    case 'busy':
      throw transportFailure('too_many_requests', { headers: RETRY })
    default:
      throw new Failure('qr_unchecked', failures.qr_unchecked, RETRY)
  }
}

export const qrOperations = [getLinkQr]
