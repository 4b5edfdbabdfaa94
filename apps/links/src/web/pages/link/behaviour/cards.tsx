import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { lazyPart } from '../../../parts/lazy-part.ts'
import { ReadError } from '../../../parts/read-error.tsx'
import { useCall } from '../../../queries.ts'
import { behaviourTexts } from '../../../texts/behaviour.ts'
import { useText } from '../../../texts/text.ts'
import { Expiry } from '../expiry.tsx'
import { type Link, isMine } from '../link.ts'
import { type BehaviourControls, type BehaviourDialog, isPlain } from './behaviour.ts'

const Destinations = lazyPart(behaviourTexts, () => import('./destinations.tsx'))
const TimesSentence = lazyPart(behaviourTexts, () => import('./times-sentence.tsx'))
const Dialog = lazyPart(behaviourTexts, () => import('./dialog.tsx'))

/** True once the parts are loaded that the behaviour of the link needs, so that they move nothing. */
export function useBehaviourParts({ id }: Link): boolean {
  const { data, error } = useCall('links', 'getBehaviour', { params: { id } })
  const isNeeded = data !== undefined && !isPlain(data.body)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    if (isNeeded)
      void Promise.allSettled([Destinations.load(), TimesSentence.load()]).then(() => setReady(true))
    else if (data !== undefined || error !== null) setReady(true)
  }, [isNeeded, data, error])
  return isReady || (data !== undefined && !isNeeded)
}

/** Where a link leads, for whom and when (L26). A link without behaviour has a line for each. */
export function BehaviourCards({ link }: { link: Link }) {
  const { t } = useText()
  const { data, error, refetch } = useCall('links', 'getBehaviour', { params: { id: link.id } })
  const [dialog, setDialog] = useState<BehaviourDialog | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  useFocusReturn(dialog !== null, opener)
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={140} />
  const open = (next: BehaviourDialog) => {
    opener.current = focusedOpener()
    setDialog(next)
  }
  const snapshot = { behaviour: data.body, version: data.version }
  const controls = { link, snapshot, open }
  return (
    <div className="behaviour-cards">
      <Card title={t('link.where')}>
        {isPlain(snapshot.behaviour) ? (
          <Text size="sm" c="dimmed">
            {t('link.whereAll')}
          </Text>
        ) : (
          <Suspense fallback={<Skeleton height={48} />}>
            <Destinations {...controls} />
          </Suspense>
        )}
        {isMine(link) && <WhereActions {...controls} />}
      </Card>
      <Card title={t('link.when')}>
        <WhenSentence {...controls} />
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" c="dimmed" flex="none">
            {t('link.expires')}
          </Text>
          <Expiry link={link} />
        </Group>
        {isMine(link) && (
          <Group>
            <ActionButton onClick={() => open({ about: 'times' })}>{t('link.setTimes')}</ActionButton>
          </Group>
        )}
      </Card>
      {dialog && (
        <Suspense>
          <Dialog {...controls} dialog={dialog} close={() => setDialog(null)} />
        </Suspense>
      )}
    </div>
  )
}

/** The focused button. The item of a menu goes with its menu, whose button stays. */
function focusedOpener(): HTMLElement | null {
  const focused = document.activeElement as HTMLElement | null
  const menu = focused?.closest('[role=menu]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
}

/** The focus returns to the button that opened the dialog, or of which the menu did. */
function useFocusReturn(isOpen: boolean, opener: { current: HTMLElement | null }): void {
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, opener])
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} miw={0}>
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  )
}

function ActionButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button size="compact-sm" variant="default" onClick={onClick}>
      {children}
    </Button>
  )
}

function WhereActions({ open }: BehaviourControls) {
  const { t } = useText()
  return (
    <Group gap="xs">
      <ActionButton onClick={() => open({ about: 'rule' })}>{t('link.addRule')}</ActionButton>
      <ActionButton onClick={() => open({ about: 'split' })}>{t('link.split')}</ActionButton>
      <ActionButton onClick={() => open({ about: 'forward' })}>{t('link.forward')}</ActionButton>
    </Group>
  )
}

function WhenSentence({ link, snapshot }: BehaviourControls) {
  const { t } = useText()
  if (isPlain(snapshot.behaviour))
    return (
      <Text size="sm" c="dimmed">
        {t(link.expires_at === null ? 'link.always' : 'link.untilExpiry')}
      </Text>
    )
  return (
    <Suspense fallback={<Skeleton height={20} />}>
      <TimesSentence times={{ ...snapshot.behaviour, expires_at: link.expires_at }} />
    </Suspense>
  )
}
