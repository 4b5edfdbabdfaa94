import { Text } from '@mantine/core'
import { encodeQR } from 'qr'
import { slugUrl, withoutScheme } from '../parts/short-url.ts'
import { useText } from '../texts/text.ts'

/** Modules of quiet zone around a code. */
const MARGIN = 4

/** The code of the short URL, drawn as it is typed. It holds what the downloaded code holds. */
export function QrPreview({ slug, domain }: { slug: string; domain: string | undefined }) {
  const { t } = useText()
  const url = slugUrl({ slug, domain })
  return (
    <div className="qr-preview">
      <div className="qr-preview-code" role="img" aria-label={t('link.qrOf', { url: withoutScheme(url) })}>
        {slug === '' ? (
          <Text size="xs" c="dimmed" ta="center">
            {t('create.qrHelp')}
          </Text>
        ) : (
          <Code text={`${url}?utm_medium=qr`} />
        )}
      </div>
      <Text size="xs" c="dimmed" className="mono" ta="center" style={{ overflowWrap: 'anywhere' }}>
        {withoutScheme(url)}
        {slug === '' && '…'}
      </Text>
    </div>
  )
}

function Code({ text }: { text: string }) {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN })
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg viewBox={`0 0 ${modules.length} ${modules.length}`} shapeRendering="crispEdges" aria-hidden>
      <path d={path.join('')} />
    </svg>
  )
}
