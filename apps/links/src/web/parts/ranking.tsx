import { Anchor, Box, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useText } from '../texts/text.ts'

export interface RankedItem {
  name: string
  count: number
  /** Page of this client with details. */
  href?: string
}

/**
 * Top entries of a ranked list, with bars. Bars and shares are parts of `total`, which includes
 * entries that are not listed, so they may add up to less than 100 %. Names are rendered unchanged.
 */
export function Ranking({ items, total }: { items: readonly RankedItem[]; total: number }) {
  const { t } = useText()
  if (items.length === 0)
    return (
      <Text c="dimmed" size="sm" py="md" ta="center">
        {t('ranking.none')}
      </Text>
    )
  return (
    <ol className="ranking">
      {items.map((item, index) => (
        // Names are not unique: two links may have the same one.
        <Row key={`${index}-${item.name}`} item={item} total={total} />
      ))}
    </ol>
  )
}

function Row({ item: { name, count, href }, total }: { item: RankedItem; total: number }) {
  const { number, share } = useText()
  const part = total === 0 ? 0 : count / total
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="md">
        {href === undefined ? (
          <Text size="sm" truncate title={name}>
            <bdi>{name}</bdi>
          </Text>
        ) : (
          <Anchor component={Link} href={href} size="sm" c="inherit" truncate title={name}>
            <bdi>{name}</bdi>
          </Anchor>
        )}
        <Group gap="xs" wrap="nowrap" className="figure" flex="none">
          <Text size="sm" fw={500}>
            {number(count)}
          </Text>
          <Text size="sm" c="dimmed" w="3.2em" ta="right">
            {share(part)}
          </Text>
        </Group>
      </Group>
      <Box className="ranking-bar" aria-hidden>
        <Box style={{ width: `${Math.min(1, part) * 100}%` }} />
      </Box>
    </li>
  )
}
