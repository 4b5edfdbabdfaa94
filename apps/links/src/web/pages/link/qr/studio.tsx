import { NativeSelect, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck } from '@latchkey/web/icons'
import { useState } from 'react'
import { focusFirstField } from '../../../parts/focus-first-field.ts'
import { QrImage } from '../../../parts/qr-image.tsx'
import { ReadError } from '../../../parts/read-error.tsx'
import { slugUrl, withoutScheme } from '../../../parts/short-url.ts'
import { useText } from '../../../texts/text.ts'
import type { Link } from '../link.ts'
import { ColourFields } from './colour-fields.tsx'
import { Downloads } from './downloads.tsx'
import { Presets } from './presets.tsx'
import { ShapeFields } from './shape-fields.tsx'
import { SizeFields } from './size-fields.tsx'
import { DEFAULT_STYLE, type QrStyle } from './style.ts'
import { type Code, fieldOf, useCode, useFieldError } from './use-code.ts'

/** QR code of one of the short URLs of the link, exactly as it is downloaded. */
export default function QrStudio({ link, first }: { link: Link; first: string }) {
  const { t } = useText()
  const [slug, setSlug] = useState(first)
  const [style, setStyle] = useState(DEFAULT_STYLE)
  const [debouncedStyle] = useDebouncedValue(style, 200)
  const code = useCode(link.id, slug, debouncedStyle)
  const errorOf = useFieldError(code.error, debouncedStyle)
  const slugNames = link.slugs.map((listed) => listed.slug)
  // The selected slug may have been removed in the meantime.
  const slugs = slugNames.includes(slug) ? slugNames : [slug, ...slugNames]
  const change = (changes: Partial<QrStyle>) => setStyle((current) => ({ ...current, ...changes }))
  const fields = { style, change, errorOf }
  return (
    <div className="qr-studio" ref={focusFirstField}>
      <div className="qr-result">
        <Preview
          url={withoutScheme(slugUrl({ slug, domain: link.domain }))}
          code={code}
          hasField={fieldOf(code.error, debouncedStyle) !== undefined}
        />
        <Downloads code={code} name={slug} />
      </div>
      <Stack gap="md">
        <Presets style={style} onChoose={setStyle} />
        {slugs.length > 1 && (
          <NativeSelect
            label={t('link.slug')}
            data={slugs}
            value={slug}
            onChange={({ currentTarget }) => setSlug(currentTarget.value)}
          />
        )}
        <ShapeFields {...fields} />
        <ColourFields {...fields} />
        <SizeFields {...fields} />
      </Stack>
    </div>
  )
}

interface PreviewProps {
  /** The short URL. */
  url: string
  code: Code
  /** The error is shown at a field. */
  hasField: boolean
}

function Preview({ url, code, hasField }: PreviewProps) {
  const { t } = useText()
  return (
    <>
      <div className="qr-stage">
        {code.isDrawable && <QrImage src={code.addresses.svg} alt={t('link.qrOf', { url })} />}
        {code.error && !hasField && <ReadError error={code.error} onRetry={code.refetch} />}
      </div>
      <div role="status">
        <Text size="sm" fw={500} className="qr-checked">
          {code.isChecked && <IconCheck size={16} className="tick" aria-hidden />}
          {code.isChecked ? t('qr.checked', { url }) : code.error ? url : t('qr.checking', { url })}
        </Text>
        <Text size="xs" c="dimmed">
          {t('qr.help')}
        </Text>
      </div>
    </>
  )
}
