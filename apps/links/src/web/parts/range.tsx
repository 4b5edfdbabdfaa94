import { SegmentedControl } from '@mantine/core'
import { type Range, abbreviateRange, rangeNames } from '../../time/ranges.ts'
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
  const { t, language } = useText()
  const nameOf = (range: Range) => abbreviateRange(range, language, t('range.all'))
  return (
    <SegmentedControl
      aria-label={t('range.label')}
      size="xs"
      withItemsBorders={false}
      data={rangeNames.map((range) => ({ value: range, label: nameOf(range) }))}
      value={value ?? ''}
      onChange={(next) => onChange(next as Range)}
    />
  )
}
