import { ActionIcon, Box, Group, Pagination, Paper, Text, Title } from '@mantine/core'
import { IconX } from '@latchkey/web/icons'
import { type CSSProperties, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../call.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { Delta } from '../../parts/delta.tsx'
import { Favicon, useFavicons } from '../../parts/favicon.tsx'
import { slugName, slugUrl, withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { Stats } from './types.ts'
import { accentColor } from '../bundles/accent.tsx'
import { isMine } from '../bundles/actions.tsx'
import { useFocusFallback } from '@latchkey/web/focus-fallback'
import { bundleRemovalOf, usePending } from '../../parts/pending.ts'
import { useUndoableAction } from '../bundles/use-undoable-action.ts'

type Member = Stats['per_link'][number]

interface MemberProps {
  member: Member
  /** Address of the icon of its destination. */
  icon: string | undefined
  bundle: Stats['bundle']
}

const PER_PAGE = 25

interface Props {
  stats: Stats
  /** False for statistics of other clicks than those of a range, for which the numbers are unknown. */
  hasClicks: boolean
}

/** Links of a bundle with their share of its clicks, the most clicked first. */
export function Members({ stats, hasClicks }: Props) {
  const { t, number } = useText()
  const [requestedPage, setPage] = useState(1)
  const pending = usePending()
  const members = stats.per_link.filter(
    (member) => !pending.has(bundleRemovalOf(stats.bundle.id, member.link_id)),
  )
  const pages = Math.ceil(members.length / PER_PAGE)
  const page = Math.max(1, Math.min(requestedPage, pages))
  const onPage = members.slice((page - 1) * PER_PAGE, page * PER_PAGE)
  const iconOf = useFavicons(onPage.map(({ url }) => url))
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="members">
      <Group gap="xs" align="baseline" mb="xs">
        <Title order={2} id="members" tabIndex={-1} style={{ outline: 'none' }}>
          {t('bundles.members')}
        </Title>
        <Text size="sm" c="dimmed" className="figure">
          {number(members.length)}
        </Text>
      </Group>
      {members.length === 0 && (
        <Box py="lg" ta="center">
          <Text fw={500}>{t('bundles.noMembers')}</Text>
          <Text size="sm" c="dimmed">
            {t('bundles.noMembersHelp')}
          </Text>
        </Box>
      )}
      <ul className="rows">
        {onPage.map((member) => (
          <MemberRow
            key={member.link_id}
            member={member}
            bundle={stats.bundle}
            icon={iconOf(member.url)}
            hasClicks={hasClicks}
          />
        ))}
      </ul>
      {pages > 1 && (
        <Group justify="flex-end" mt="md">
          <Pagination
            aria-label={t('bundles.pages')}
            size="sm"
            total={pages}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({
              'aria-label': t(control === 'previous' ? 'links.previousPage' : 'links.nextPage'),
            })}
            getItemProps={(item) => ({ 'aria-label': number(item) })}
          />
        </Group>
      )}
    </Paper>
  )
}

function MemberRow({ member, bundle, icon, hasClicks }: Pick<Props, 'hasClicks'> & MemberProps) {
  useFocusFallback('#members')
  const own = { slug: member.primary_slug, domain: member.domain }
  const name = member.label ?? slugName(own)
  const share = hasClicks ? member.pct_of_bundle / 100 : 0
  const style = { '--share': share, '--accent-color': accentColor(bundle.accent) } as CSSProperties
  return (
    <li className="row bundle-member" style={style}>
      <Favicon src={icon} url={member.url} />
      <div className="bundle-member-text">
        <Link href={`/links/${member.link_id}`} className="link-label" title={name} dir="auto">
          {name}
        </Link>
        <div className="link-destination" title={`${slugUrl(own)} → ${member.url}`}>
          {member.label !== null && <span className="mono">{slugName(own)} </span>}→{' '}
          {withoutScheme(member.url)}
        </div>
      </div>
      {hasClicks && <MemberClicks member={member} />}
      <Group gap={0} wrap="nowrap" flex="none">
        <Copy value={slugUrl(own)} />
        {isMine(bundle) && <RemoveButton member={member} name={name} bundle={bundle.id} />}
      </Group>
    </li>
  )
}

function MemberClicks({ member }: { member: Member }) {
  const { number, share } = useText()
  return (
    <Box ta="right" flex="none" className="figure">
      <Text size="sm" fw={500}>
        {number(member.click_count)}
      </Text>
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <Delta value={member.delta_pct} />
        <Text size="xs" c="dimmed" miw="2.6em">
          {share(member.pct_of_bundle / 100)}
        </Text>
      </Group>
    </Box>
  )
}

function RemoveButton({ member, name, bundle }: { member: Member; name: string; bundle: number }) {
  const { t } = useText()
  const runUndoable = useUndoableAction()
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('bundles.remove', { name })}
      data-tooltip={t('bundles.removeHint')}
      onClick={() =>
        runUndoable(bundleRemovalOf(bundle, member.link_id), t('bundles.removing', { name }), () =>
          call(
            'removeLinkFromBundle',
            { params: { id: bundle, linkId: member.link_id } },
            { keepalive: true },
          ),
        )
      }
    >
      <IconX size={16} aria-hidden />
    </ActionIcon>
  )
}
