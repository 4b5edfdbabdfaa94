import { Button, Group } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { IconDownload } from '@latchkey/web/icons'
import { addressOf } from '../../call.ts'
import { Section } from '../../parts/section.tsx'
import { usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { AuditFilters, NO_FILTER } from './audit-filters.tsx'
import { EventLine } from './audit-line.tsx'
import { Listing } from './listing.tsx'

/** Audit log. Its filters are in the query string. */
export function AuditLog() {
  const { t } = useText()
  const [{ part: _part, ...filter }, setQuery] = useQueryString({ part: 'people', ...NO_FILTER })
  const { before, ...exact } = filter
  const until = before === '' ? Number.NaN : Date.parse(before)
  const query = { ...exact, ...(!Number.isNaN(until) && { before: new Date(until).toISOString() }) }
  const list = usePages('admin', 'listAuditEvents', { query })
  const events = list.pages?.flatMap((page) => page.events)
  const names = Object.assign({}, ...(list.pages ?? []).map((page) => page.names)) as Record<string, string>
  return (
    <Section title={t('admin.part.audit')} isTitleHidden>
      <AuditFilters filter={filter} onFilter={setQuery} />
      <Group justify="flex-end">
        <Button
          component="a"
          href={addressOf('exportAuditEvents', { query })}
          download
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('audit.csv')}
        </Button>
      </Group>
      <Listing list={list} count={events?.length} none={t('admin.noEvents')}>
        <ul className="plain rows">
          {events?.map((event) => (
            <EventLine key={event.id} event={event} names={names} />
          ))}
        </ul>
      </Listing>
    </Section>
  )
}
