import { Anchor, Stack, Text } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { Link } from 'wouter'
import { isAuditAction } from '../../../audit/actions.ts'
import type { Result } from '../../call.ts'
import { Section } from '../../parts/section.tsx'
import { usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { AuditFilters, NO_FILTER } from './audit-filters.tsx'
import { Listing } from './listing.tsx'

type Event = Result<'listAuditEvents'>['events'][number]

/** Audit log. Its filters are in the query string. */
export function AuditLog() {
  const { t } = useText()
  const [{ part: _part, ...filter }, setQuery] = useQueryString({ part: 'people', ...NO_FILTER })
  const { before, ...exact } = filter
  const until = before === '' ? Number.NaN : Date.parse(before)
  const query = { ...exact, ...(!Number.isNaN(until) && { before: new Date(until).toISOString() }) }
  const list = usePages('admin', 'listAuditEvents', { query })
  const events = list.pages?.flatMap((page) => page.events)
  return (
    <Section title={t('admin.part.audit')}>
      <AuditFilters filter={filter} onFilter={setQuery} />
      <Listing list={list} count={events?.length} none={t('admin.noEvents')}>
        <ul className="plain rows">
          {events?.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ul>
      </Listing>
    </Section>
  )
}

function EventLine({ event }: { event: Event }) {
  const { t, moment } = useText()
  const { action, actorUserId, clientIp, metadata } = event
  return (
    <Stack component="li" gap={2}>
      <Text size="sm" fw={500} className="wrap">
        {isAuditAction(action) ? t(`audit.${action}`) : action}
      </Text>
      <Text size="sm" c="dimmed" className="wrap">
        {moment(event.createdAt)}
        {clientIp !== null && ` · ${t('account.from', { address: clientIp })}`} · <code>{action}</code>
      </Text>
      <Text size="sm" className="wrap">
        {t('audit.by')} {actorUserId === null ? t('audit.itself') : <Id type="user" id={actorUserId} />}
      </Text>
      {event.targetId !== null && (
        <Text size="sm" className="wrap">
          {t('audit.about')} <Id type={event.targetType} id={event.targetId} />
        </Text>
      )}
      {Object.entries(metadata).map(([name, value]) => (
        <Text key={name} size="sm" c="dimmed" ff="monospace" className="wrap">
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Text>
      ))}
    </Stack>
  )
}

/** Id of an actor or target, linked if it is listed on this page. */
function Id({ type, id }: { type: string | null; id: string }) {
  const { t } = useText()
  const kind = type === 'user' || type === 'room' || type === 'session' ? t(`audit.type.${type}`) : type
  if (type !== 'user' && type !== 'room')
    return (
      <>
        {kind} {id}
      </>
    )
  const query = new URLSearchParams({ ...(type === 'room' && { part: 'rooms' }), q: id })
  return (
    <Anchor component={Link} href={`/admin?${query}`} size="sm" underline="always" className="wrap">
      {kind} {id}
    </Anchor>
  )
}
