import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { me } from '../../me.ts'
import { BundleChip } from '../../parts/bundle-chip.tsx'
import { Initials } from '../../parts/initials.tsx'
import { withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow, ListedLink } from './types.ts'
import { Marked } from './marked.tsx'

interface Props {
  link: LinkRow
  search: string
}

/** Leads to the page of the link. Without a label, the destination does. */
export function Label({ link, search }: Props) {
  if (link.label === null) return null
  return (
    <Anchor component={Link} href={`/links/${link.id}`} className="link-label" dir="auto" title={link.label}>
      <Marked text={link.label} search={search} />
    </Anchor>
  )
}

export function Destination({ link, search }: Props) {
  const text = withoutScheme(link.url)
  if (link.label === null)
    return (
      <Anchor component={Link} href={`/links/${link.id}`} className="link-destination" title={link.url}>
        <Marked text={text} search={search} />
      </Anchor>
    )
  return (
    <div className="link-destination" title={link.url}>
      <Marked text={text} search={search} />
    </div>
  )
}

/** Date of creation, and the owner unless it is the user. */
export function CreatedAt({ link, search }: Props) {
  const { day, moment } = useText()
  return (
    <div className="link-created">
      <Text size="xs" c="dimmed" title={moment(link.created_at)}>
        {day(link.created_at)}
      </Text>
      {link.created_by !== me.identity && (
        <div className="link-owner" title={link.created_by}>
          <Initials name={link.created_by} />
          <bdi>
            <Marked text={link.created_by} search={search} />
          </bdi>
        </div>
      )}
    </div>
  )
}

const MAX_BUNDLES = 2

/** The first bundles of a link, and the number of the others. */
export function BundleNames({ bundles }: Pick<ListedLink, 'bundles'>) {
  const { number } = useText()
  if (bundles.length === 0) return null
  const others = bundles.slice(MAX_BUNDLES)
  return (
    <div className="link-bundles">
      {bundles.slice(0, MAX_BUNDLES).map((bundle) => (
        <BundleChip key={bundle.id} bundle={bundle} />
      ))}
      {others.length > 0 && (
        <Text size="xs" c="dimmed" className="figure" title={others.map(({ name }) => name).join(', ')}>
          +{number(others.length)}
        </Text>
      )}
    </div>
  )
}
