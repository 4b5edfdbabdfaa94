import { ActionIcon, Group, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@latchkey/web/icons'
import { useText } from '../texts/text.ts'

interface Props {
  /** Name of what has the pages. */
  label: string
  /** Index of the first one shown. */
  offset: number
  size: number
  total: number
  onMove: (offset: number) => void
}

/** Back and forth through what has more than one page; nothing else. */
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
