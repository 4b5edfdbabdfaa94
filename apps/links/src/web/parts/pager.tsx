import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@latchkey/web/icons'
import { useText } from '../texts/text.ts'

interface Props {
  /** Name of the list. */
  label: string
  /** Index of the first entry on the page. */
  offset: number
  size: number
  total: number
  onMove: (offset: number) => void
}

/** Buttons for the previous and next page. Renders nothing for a single page. */
export function Pager({ label, offset, size, total, onMove }: Props) {
  const { t, number } = useText()
  if (total <= size) return null
  const values = {
    from: number(offset + 1),
    to: number(Math.min(total, offset + size)),
    total: number(total),
  }
  const isFirst = offset === 0
  const isLast = offset + size >= total
  return (
    <Group justify="flex-end" gap="xs" mt="sm" role="group" aria-label={t('link.pagesOf', { what: label })}>
      <Text size="xs" c="dimmed" className="figure" aria-live="polite">
        {t('link.pageOf', values)}
      </Text>
      <ActionIcon
        variant="default"
        size="sm"
        aria-label={t('link.previous')}
        disabled={isFirst}
        onClick={() => onMove(Math.max(0, offset - size))}
      >
        <IconChevronLeft size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="sm"
        aria-label={t('link.next')}
        disabled={isLast}
        onClick={() => onMove(offset + size)}
      >
        <IconChevronRight size={14} aria-hidden />
      </ActionIcon>
    </Group>
  )
}
