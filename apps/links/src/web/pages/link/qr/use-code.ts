import { CallError } from '@latchkey/web/call'
import { useQuery } from '@tanstack/react-query'
import { addressOf, isRefusal, request } from '../../../call.ts'
import { useText } from '../../../texts/text.ts'
import { type QrStyle, toQuery } from './style.ts'

export type CodeFormat = 'svg' | 'png' | 'pdf'
export type Code = ReturnType<typeof useCode>

/** Addresses of the code in each format, and the error if it cannot be drawn. */
export function useCode(id: number, slug: string, style: QrStyle) {
  const input = (format: CodeFormat) => ({ params: { id }, query: { slug, ...toQuery(style), format } })
  const png = useQuery({
    // The key has no resource: clicks do not change the code.
    queryKey: ['qr', input('png')],
    queryFn: async ({ signal }) =>
      (await request('getLinkQr', input('png'), { signal, accept: 'image/png' })).status,
  })
  const { error } = png
  return {
    addresses: {
      svg: addressOf('getLinkQr', input('svg')),
      png: addressOf('getLinkQr', input('png')),
      pdf: addressOf('getLinkQr', input('pdf')),
    },
    error,
    /** The service has read the code back. */
    isChecked: png.isSuccess,
    refetch: () => void png.refetch(),
    /** True if an SVG can be drawn. A size can be too small for a PNG only. */
    isDrawable: error === null || isRefusal(error, 'qr_too_small') || unreadableField(error) === 'size',
  }
}

type Field = 'size' | 'level' | 'dark' | 'margin' | 'shape' | 'eyes' | 'frame'

/** The field to change so that a scanner can read the code. */
function unreadableField(error: Error | null): Field | undefined {
  if (!isRefusal(error, 'qr_unreadable') || !(error instanceof CallError)) return undefined
  return error.answer['field'] as Field
}

/** The field with which the code cannot be drawn. */
export function fieldOf(error: Error | null, { frame }: QrStyle): Field | undefined {
  if (isRefusal(error, 'qr_too_small')) return 'size'
  if (isRefusal(error, 'qr_too_long')) return 'level'
  if (isRefusal(error, 'dark_low_contrast')) return 'dark'
  // All other fields offer valid values only.
  if (isRefusal(error, 'invalid_request') && frame !== null) return 'frame'
  return unreadableField(error)
}

/** The error of a field, in the user's language. */
export function useFieldError(error: Error | null, style: QrStyle): (field: Field) => string | undefined {
  const { t, number, failure } = useText()
  const field = fieldOf(error, style)
  const text = () => {
    if (!error || field === undefined) return undefined
    if (isRefusal(error, 'qr_too_small') && error instanceof CallError)
      return t('link.qrTooSmall', { min: number(Number(error.answer['min_size'])) })
    if (field === 'frame') return t('qr.frameBad')
    return unreadableField(error) ? t(`qr.unreadable.${field}`) : failure(error)
  }
  return (name) => (name === field ? text() : undefined)
}
