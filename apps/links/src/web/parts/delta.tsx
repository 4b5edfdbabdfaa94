import { Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@latchkey/web/icons'
import { useText } from '../texts/text.ts'

const ICONS = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconArrowRight }

/**
 * Change in percent from the previous window (`delta_pct` and similar). Arrow and sign carry the
 * meaning, not colour alone. Renders nothing without a value, when there is nothing to compare
 * with.
 */
export function Delta({ value }: { value?: number | undefined }) {
  const { t, percent } = useText()
  if (value === undefined) return null
  const direction = value > 0 ? 'up' : value < 0 ? 'down' : 'same'
  const Arrow = ICONS[direction]
  return (
    <Text
      component="span"
      className="delta figure"
      data-way={direction}
      size="xs"
      fw={500}
      title={t('delta.against')}
    >
      <Arrow size={14} stroke={2} aria-hidden />
      {percent(value)}
      <VisuallyHidden component="span"> {t('delta.against')}</VisuallyHidden>
    </Text>
  )
}
