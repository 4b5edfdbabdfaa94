import { Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@latchkey/web/icons'
import { useText } from '../texts/text.ts'

const ICONS = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconArrowRight }

/** Percent above which a change is called "new": the comparison was next to nothing. */
const MAX_CHANGE = 999

interface Props {
  /** Undefined if the comparison was 0. */
  value?: number | undefined
  /** The changed number, where it is known. */
  count?: number | undefined
}

/**
 * Change in percent from the comparison (`delta_pct` and similar). Arrow and sign carry the
 * meaning, not colour alone. Renders nothing when there is nothing to compare with.
 */
export function Delta({ value, count = 0 }: Props) {
  const { t, percent } = useText()
  if (value === undefined && count === 0) return null
  const isNew = value === undefined || value > MAX_CHANGE
  const direction = isNew || value > 0 ? 'up' : value < 0 ? 'down' : 'same'
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
      {isNew ? t('delta.new') : percent(value)}
      <VisuallyHidden component="span"> {t('delta.against')}</VisuallyHidden>
    </Text>
  )
}
