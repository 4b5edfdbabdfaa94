import { Box, Button, Center, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { CallError } from '@latchkey/web/call'
import { IconDownload } from '@latchkey/web/icons'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf, fieldOfRefusal, isRefusal, request } from '../../call.ts'
import { focusFirstField } from '../../parts/focus-first-field.ts'
import { QrImage } from '../../parts/qr-image.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { slugUrl, withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { Link } from './link.ts'

const LEVELS = ['L', 'M', 'Q', 'H'] as const
const MAX_SIZE = 2048

const DEFAULT_STYLE = { size: 400, level: 'M' as (typeof LEVELS)[number], dark: '#000000', light: '#ffffff' }
type QrStyle = typeof DEFAULT_STYLE

/** Error codes that are shown at a field. */
const FIELD_ERRORS = {
  size: ['qr_too_small'],
  level: ['qr_too_long'],
  dark: ['dark_low_contrast'],
} as const

/** QR code of one of the short URLs of the link, exactly as it is downloaded. */
export function QrCode({ link, first }: { link: Link; first: string }) {
  const { t } = useText()
  const [slug, setSlug] = useState(first)
  const [style, setStyle] = useState(DEFAULT_STYLE)
  const [debouncedStyle] = useDebouncedValue(style, 200)
  const code = useCode(link.id, slug, debouncedStyle)
  const slugNames = link.slugs.map((listed) => listed.slug)
  // The selected slug may have been removed in the meantime.
  const slugs = slugNames.includes(slug) ? slugNames : [slug, ...slugNames]
  const change = (changes: Partial<QrStyle>) => setStyle((current) => ({ ...current, ...changes }))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg" ref={focusFirstField}>
      <Preview
        name={t('link.qrOf', { url: withoutScheme(slugUrl({ slug, domain: link.domain })) })}
        code={code}
      />
      <Stack gap="sm">
        {slugs.length > 1 && (
          <NativeSelect
            label={t('link.slug')}
            data={slugs}
            value={slug}
            onChange={({ currentTarget }) => setSlug(currentTarget.value)}
          />
        )}
        <StyleFields style={style} change={change} code={code} />
        <Group grow gap="xs" mt={4}>
          <Download
            address={code.svg}
            name={`${slug}.svg`}
            text="SVG"
            label={t('link.qrSvg')}
            isDisabled={!code.isDrawable}
          />
          <Download
            address={code.png}
            name={`${slug}.png`}
            text="PNG"
            label={t('link.qrPng')}
            isDisabled={code.error !== null}
          />
        </Group>
      </Stack>
    </SimpleGrid>
  )
}

type Code = ReturnType<typeof useCode>

/** URLs of the code in both formats, and the error if it cannot be drawn. */
function useCode(id: number, slug: string, { size, level, dark, light }: QrStyle) {
  const input = (format: 'svg' | 'png') => ({
    params: { id },
    query: { slug, size, level, dark, light, format },
  })
  const png = useQuery({
    // The key has no resource: clicks do not change the code.
    queryKey: ['qr', input('png')],
    queryFn: async ({ signal }) =>
      (await request('getLinkQr', input('png'), { signal, accept: 'image/png' })).status,
  })
  const { error } = png
  return {
    svg: addressOf('getLinkQr', input('svg')),
    png: addressOf('getLinkQr', input('png')),
    error,
    refetch: () => void png.refetch(),
    /** True if an SVG can be drawn. A size can be too small for a PNG only. */
    isDrawable: error === null || isRefusal(error, 'qr_too_small'),
  }
}

function Preview({ name, code }: { name: string; code: Code }) {
  const { t } = useText()
  return (
    <Stack gap="xs">
      <Center
        h={{ base: 220, xs: 260 }}
        style={{
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 8,
          overflow: 'hidden',
        }}
      >
        {code.isDrawable && (
          <QrImage
            src={code.svg}
            alt={name}
            style={{ width: '100%', height: '100%', objectFit: 'contain' }}
          />
        )}
        {code.error && !fieldOfRefusal(code.error, FIELD_ERRORS) && (
          <ReadError error={code.error} onRetry={code.refetch} />
        )}
      </Center>
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {t('link.qrHelp')}
      </Text>
    </Stack>
  )
}

function StyleFields({
  style,
  change,
  code,
}: {
  style: QrStyle
  change: (changes: Partial<QrStyle>) => void
  code: Code
}) {
  const { t } = useText()
  const problems = useFieldErrors(code.error)
  return (
    <>
      <IntegerField
        label={t('link.qrSize')}
        min={1}
        max={MAX_SIZE}
        step={20}
        value={style.size}
        onChange={(size) => size !== null && change({ size })}
        error={problems.size}
      />
      <NativeSelect
        label={t('link.qrLevel')}
        data={LEVELS.map((value) => ({ value, label: t(`link.qrLevel.${value}`) }))}
        value={style.level}
        onChange={({ currentTarget }) => change({ level: currentTarget.value as QrStyle['level'] })}
        error={problems.level}
      />
      <Box>
        <Group grow gap="sm" align="flex-start">
          {(['dark', 'light'] as const).map((name) => (
            <TextInput
              key={name}
              type="color"
              label={t(name === 'dark' ? 'link.qrDark' : 'link.qrLight')}
              value={style[name]}
              onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
              error={name === 'dark' && problems.dark}
              styles={{ input: { padding: 4 } }}
            />
          ))}
        </Group>
      </Box>
    </>
  )
}

/** Error of each field, in the user's language. */
function useFieldErrors(error: Error | null) {
  const { t, number, failure } = useText()
  const field = fieldOfRefusal(error, FIELD_ERRORS)
  const minSize = error instanceof CallError ? Number(error.answer['min_size']) : 0
  return {
    size: field === 'size' && t('link.qrTooSmall', { min: number(minSize) }),
    level: field === 'level' && failure(error),
    dark: field === 'dark' && failure(error),
  }
}

interface DownloadProps {
  address: string
  name: string
  text: string
  label: string
  isDisabled: boolean
}

function Download({ address, name, text, label, isDisabled }: DownloadProps) {
  const icon = <IconDownload size={16} aria-hidden />
  if (isDisabled)
    return (
      <Button variant="light" leftSection={icon} aria-label={label} disabled>
        {text}
      </Button>
    )
  return (
    <Button
      component="a"
      href={address}
      download={name}
      variant="light"
      leftSection={icon}
      aria-label={label}
    >
      {text}
    </Button>
  )
}
