import { SegmentedControl } from '@mantine/core'
import type { Range } from '../../analytics/schema.ts'
import { useText } from '../texts/text.ts'

const RANGES = ['24h', '7d', '30d', '90d', '1y', 'all'] as const satisfies readonly Range[]

/** What somebody wrote into the address as a range; undefined when it is none, and the server takes their default. */
export function parseRange(text: string): Range | undefined {
  return RANGES.find((range) => range === text)
}

/**
 * Chooses the window that figures are of. `value` is undefined while it is not known yet, as when the answer will tell
 * the person's default; then none is marked.
 */
export function RangePicker({
  value,
  onChange,
}: {
  value: Range | undefined
  onChange: (range: Range) => void
}) {
  const { t } = useText()
  return (
    <SegmentedControl
      aria-label={t('range.label')}
      size="xs"
      data={RANGES.map((range) => ({ value: range, label: t(`range.${range}`) }))}
      value={value ?? ''}
      onChange={(next) => onChange(next as Range)}
    />
  )
}
