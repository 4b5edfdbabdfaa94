import { Anchor, Badge, Group, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { usePending } from '../../parts/pending.ts'
import { useText } from '../../texts/text.ts'
import { isArchived } from './actions.tsx'

export interface Props {
  bundle: Result<'listBundles'>[number]
  /** Query string of the link to the page of the bundle. */
  search: string
}

/** Name of a bundle in a list, as a link to its page, with its size and owner. */
export function BundleName({ bundle, search }: Props) {
  const { t } = useText()
  const pending = usePending()
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Title order={2} fz="md" lh={1.4} miw={0}>
          <Anchor
            component={Link}
            href={`/bundles/${bundle.id}${search}`}
            c="inherit"
            inherit
            lineClamp={2}
            style={{ overflowWrap: 'anywhere' }}
            title={bundle.name}
            className="bundle-link"
            dir="auto"
          >
            {bundle.name}
          </Anchor>
        </Title>
        {isArchived(bundle, pending) && (
          <Badge variant="default" tt="none" fw={500} flex="none">
            {t('bundles.archivedOne')}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t('bundles.links', { count: bundle.link_count })} · {bundle.created_by}
      </Text>
    </>
  )
}
