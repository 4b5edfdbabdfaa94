import { SegmentedControl } from '@mantine/core'
import { type Range, rangeNames } from '../../time/ranges.ts'
import { useText } from '../texts/text.ts'

/**
 * Parses the range in an address. Undefined if invalid: the server then uses the user's default.
 */
export function parseRange(text: string): Range | undefined {
  return rangeNames.find((range) => range === text)
}

/**
 * Picker for the range of statistics. While `value` is undefined, such as before the response with
 * the user's default, nothing is selected.
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
      withItemsBorders={false}
      data={rangeNames.map((range) => ({ value: range, label: t(`range.${range}`) }))}
      value={value ?? ''}
      onChange={(next) => onChange(next as Range)}
    />
  )
}
