import { Button, Group, Paper, Title, VisuallyHidden } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@latchkey/web/icons'
import { useRead } from '@latchkey/web/queries'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useValueNames } from '../../analytics/value-names.ts'
import { type Result, call, embedded } from '../../call.ts'
import { Mark } from '../../parts/mark.tsx'
import { followClicks } from '../../queries.ts'
import { slugName } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'

const MAX_CLICKS = 8
/** How often the ages of clicks are updated. */
const TICK_MS = 5_000

type Click = Result<'listRecentClicks'>[number]

/** A click with its time by the clock of this browser, in Unix milliseconds. */
type TimedClick = Click & { atMs: number }

const timed = (clicks: readonly Click[]): TimedClick[] =>
  clicks.map((click) => ({ ...click, atMs: Date.now() - click.seconds_ago * 1000 }))

/** The clicks that the page came with. */
function embeddedClicks(): TimedClick[] | undefined {
  const answer = embedded('listRecentClicks', {})
  return answer && timed(answer.body)
}

/** The latest clicks, newest first, as they happen. */
function useLiveClicks(): readonly TimedClick[] {
  const [live, setLive] = useState<readonly TimedClick[]>([])
  const { data = [] } = useRead(
    ['live', 'listRecentClicks'],
    async () => timed(await call('listRecentClicks', {})),
    { embedded: embeddedClicks },
  )
  useEffect(
    () =>
      followClicks(({ clicks }) => setLive((before) => [...timed(clicks), ...before].slice(0, MAX_CLICKS))),
    [],
  )
  const liveIds = new Set(live.map(({ id }) => id))
  return [...live, ...data.filter(({ id }) => !liveIds.has(id))].slice(0, MAX_CLICKS)
}

/** Who clicks what right now. Can be paused, to read it. */
export function LiveClicks() {
  const { t } = useText()
  const clicks = useLiveClicks()
  const [paused, setPaused] = useState<readonly TimedClick[]>()
  const [, setTick] = useState(0)
  useInterval(() => setTick((tick) => tick + 1), TICK_MS, { autoInvoke: true })
  if (clicks.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={t('live.title')}>
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2}>{t('live.title')}</Title>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={
            paused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />
          }
          onClick={() => setPaused(paused ? undefined : clicks)}
        >
          {t(paused ? 'live.resume' : 'live.pause')}
        </Button>
      </Group>
      <ul className="plain">
        {(paused ?? clicks).map((click) => (
          <ClickLine key={click.id} click={click} />
        ))}
      </ul>
    </Paper>
  )
}

function ClickLine({ click }: { click: TimedClick }) {
  const { ago } = useText()
  const nameOf = useValueNames()
  const { country, device_type: device, browser, os } = click
  const countryName = nameOf('country', country ?? '')
  return (
    <li className="live-click">
      <span title={countryName}>
        <Mark dimension="country" value={country ?? ''} />
        <VisuallyHidden>{countryName}</VisuallyHidden>
      </span>
      <Link href={`/links/${click.link_id}`} className="live-slug">
        <bdi>{slugName(click)}</bdi>
      </Link>
      <span className="live-device">
        {(
          [
            ['device', device],
            ['browser', browser],
            ['os', os],
          ] as const
        ).map(
          ([dimension, value]) =>
            value !== null && (
              <span key={dimension} title={nameOf(dimension, value)}>
                <Mark dimension={dimension} value={value} />
                <VisuallyHidden>{nameOf(dimension, value)}</VisuallyHidden>
              </span>
            ),
        )}
      </span>
      <span className="live-time figure">{ago(click.atMs)}</span>
    </li>
  )
}
