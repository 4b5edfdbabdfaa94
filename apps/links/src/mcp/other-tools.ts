import { z } from 'zod'
import type { Context } from '../api/context.ts'
import { checkHealth } from '../http/health.ts'
import { readLinkWithTag } from '../links/operations.ts'
import { getLinkQr, qrText } from '../qr/operations.ts'
import { MAX_SLUG_LENGTH, slugKey } from '../urls/slug.ts'
import { perform } from '../api/perform.ts'
import { LinkId, tool } from './tool.ts'

const QR_PIXELS = 400

const healthTool = tool({
  name: 'health',
  title: 'Check the service',
  description: 'Returns whether the service works, and its version.',
  effect: 'read',
  input: {},
  output: z.object({
    status: z.string(),
    version: z.string(),
    timestamp: z.int().meta({ description: 'Milliseconds since 1970.' }),
  }),
  run: async ({ database }) => (await checkHealth(database)).json(),
})

const Origin = z
  .string()
  .max(2048)
  .refine(isOrigin, 'must be an http or https origin, without a path')
  .transform((value) => new URL(value).origin)
  .meta({
    description:
      'Origin of the short URL, such as https://go.example.com; the origin of this instance by default.',
  })

function isOrigin(value: string): boolean {
  const url = URL.parse(value)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    value.replace(/\/$/, '').toLowerCase() === url.origin.toLowerCase()
  )
}

const QrResult = z.object({
  link_id: z.int(),
  slug: z.string(),
  encodes: z.string().meta({ description: 'The URL in the code; its clicks count as `qr`.' }),
  svg: z.string().meta({ description: `The code, ${QR_PIXELS} pixels wide.` }),
})
type QrResult = z.output<typeof QrResult>

const qrTool = tool({
  name: 'get_link_qr',
  title: 'QR code of a link',
  description: 'Returns a QR code of a short URL as SVG.',
  effect: 'read',
  input: {
    link_id: LinkId,
    slug: z.string().optional().meta({
      description: 'A slug of the link, enabled or disabled; the primary slug by default.',
      maxLength: MAX_SLUG_LENGTH,
    }),
    base_url: Origin.optional(),
  },
  output: QrResult,
  run: async (context, { link_id, slug, base_url }): Promise<QrResult> => {
    const qrContext: Context = { ...context, origin: base_url ?? context.origin }
    const params = { id: link_id }
    const query = { slug, size: QR_PIXELS, format: 'svg' } as const
    const { body } = await perform(qrContext, getLinkQr, { params, query })
    const { slugs } = await readLinkWithTag(context, link_id)
    const encodedSlug = slugs.find((own) => (slug ? own.slug === slug.toLowerCase() : own.is_primary === 1))
    const key = slugKey(encodedSlug?.domain ?? null, encodedSlug?.slug ?? '')
    const text = qrText(qrContext.origin, key)
    return { link_id, slug: encodedSlug?.slug ?? '', encodes: text, svg: String(body) }
  },
  images(result) {
    const { svg } = result as QrResult
    return [{ type: 'image', data: Buffer.from(svg).toString('base64'), mimeType: 'image/svg+xml' }]
  },
})

export const otherTools = [healthTool, qrTool]
