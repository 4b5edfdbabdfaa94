import { z } from 'zod'
import { operation } from '../api/context.ts'
import { QrSizeTooSmall, failure } from '../api/failures.ts'
import { IdParams, wholeNumber } from '../api/fields.ts'
import { requireLink } from '../links/operations.ts'
import { SlugQuery } from '../links/slugs/schema.ts'
import { shortUrl } from '../urls/host.ts'
import { slugKey } from '../urls/slug.ts'
import { findSlug } from '../links/slugs/store.ts'
import { type QrImage, QrTooSmall, contrastRatio, renderQr } from './qr.ts'

const MIN_CONTRAST = 3

const Colour = z
  .string()
  .regex(/^#?[0-9a-fA-F]{6}$/, 'must be six hex digits')
  .transform((colour) => colour.replace('#', '').toLowerCase())

const QrQuery = z
  .object({
    slug: SlugQuery.optional().meta({
      description: 'A slug of this link, enabled or disabled; the primary slug by default.',
    }),
    size: wholeNumber(1, 2048).default(220).meta({ description: 'Pixels.' }),
    format: z
      .enum(['svg', 'png'])
      .optional()
      .meta({ description: 'The image format. By default PNG for `Accept: image/png`, otherwise SVG.' }),
    level: z.enum(['L', 'M', 'Q', 'H']).default('M').meta({ description: 'Error correction.' }),
    margin: wholeNumber(0, 16).default(4).meta({ description: 'Quiet zone in modules.' }),
    dark: Colour.default('000000').meta({ description: 'Colour of the modules, as RRGGBB.' }),
    light: Colour.default('ffffff').meta({ description: 'Colour of the background, as RRGGBB.' }),
  })
  .refine(({ dark, light }) => contrastRatio(dark, light) >= MIN_CONTRAST, {
    path: ['dark'],
    params: { problem: 'low_contrast' },
    error: `must contrast with light at least ${MIN_CONTRAST}:1`,
  })

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
  media: { 'image/svg+xml': 'The code as SVG', 'image/png': 'The code as PNG' },
  failures: ['link_not_found', 'slug_not_found', 'qr_too_small', 'qr_too_long'],
  async handler(context, { params, query }) {
    const link = await requireLink(context, params.id)
    const key = query.slug === undefined ? link.primary_slug : slugKey(link.domain, query.slug)
    const row = await findSlug(context.database.read, key)
    if (row?.link_id !== link.id) throw failure('slug_not_found')
    const format = query.format ?? (context.acceptsPng ? 'png' : 'svg')
    return renderOrFail({ ...query, format, text: qrText(context.origin, row.slug) })
  },
  answer: (image) => ({
    body: image.body,
    headers: { 'Content-Type': image.contentType, 'Cache-Control': 'private, max-age=300', Vary: 'Accept' },
  }),
})

function renderOrFail(options: Parameters<typeof renderQr>[0]): QrImage {
  try {
    return renderQr(options)
  } catch (error) {
    if (error instanceof QrTooSmall) throw new QrSizeTooSmall(error.minSize)
    if (error instanceof RangeError) throw failure('qr_too_long')
    throw error
  }
}

export const qrOperations = [getLinkQr]
