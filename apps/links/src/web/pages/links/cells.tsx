import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { me } from '../../me.ts'
import { withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './link-table.tsx'
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
export function CreatedAt({ link, search, withOwner = true }: Props & { withOwner?: boolean }) {
  const { day, moment } = useText()
  return (
    <>
      <Text size="sm" c="dimmed" title={moment(link.created_at)}>
        {day(link.created_at)}
      </Text>
      {withOwner && link.created_by !== me.identity && (
        <div className="link-owner" title={link.created_by}>
          <Marked text={link.created_by} search={search} />
        </div>
      )}
    </>
  )
}
