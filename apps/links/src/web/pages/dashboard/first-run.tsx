import { Anchor, Group, Paper, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@latchkey/web/icons'
import { Copy } from '@latchkey/web/parts/copy'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'

type Links = Result<'listLinks'>

/** The first steps with a new instance. What is done follows from its links and their clicks. */
export function FirstRun({ links }: { links: Links }) {
  const { t } = useText()
  const link = links.find(({ total_clicks }) => total_clicks > 0) ?? links[0]
  const isClicked = (link?.total_clicks ?? 0) > 0
  const done = [link !== undefined, isClicked, isClicked]
  return (
    <Paper withBorder p="lg" component="section" className="first-run" aria-labelledby="first-run">
      <Group justify="space-between" align="baseline" mb="md">
        <Title order={2} id="first-run">
          {t(isClicked ? 'first.done' : 'first.title')}
        </Title>
        <Text size="sm" c="dimmed" className="figure" role="status">
          {t('first.progress', { count: done.filter(Boolean).length, steps: done.length })}
        </Text>
      </Group>
      <Stack component="ol" className="plain" gap="md">
        <Step number={1} title={t('first.create')} isDone={link !== undefined}>
          {t('first.createHelp')}{' '}
          {!link && (
            <Anchor component={Link} href="/import-export" underline="always" size="sm">
              {t('first.import')}
            </Anchor>
          )}
        </Step>
        <Step number={2} title={t('first.open')} isDone={isClicked}>
          {link ? <ShortUrl link={link} /> : t('first.openHelp')}
        </Step>
        <Step number={3} title={t('first.see')} isDone={isClicked}>
          {t(isClicked ? 'first.seen' : 'first.seeHelp')}{' '}
          {link && isClicked && (
            <Anchor component={Link} href={`/links/${link.id}`} underline="always" size="sm">
              {t('first.analytics')}
            </Anchor>
          )}
        </Step>
      </Stack>
    </Paper>
  )
}

function ShortUrl({ link }: { link: Links[number] }) {
  const url = shortUrl(link)
  return (
    <Group component="span" gap={4} wrap="nowrap" maw="100%" display="inline-flex">
      <Anchor href={url} target="_blank" rel="noreferrer" className="mono" underline="always" size="sm">
        {withoutScheme(url)}
      </Anchor>
      <Copy value={url} />
    </Group>
  )
}

interface StepProps {
  number: number
  title: string
  isDone: boolean
  children: ReactNode
}

function Step({ number, title, isDone, children }: StepProps) {
  const { t, number: format } = useText()
  return (
    <Group component="li" gap="md" wrap="nowrap" align="flex-start">
      <ThemeIcon radius="xl" size={28} variant={isDone ? 'filled' : 'default'} aria-hidden>
        {isDone ? <IconCheck size={16} /> : <span className="figure">{format(number)}</span>}
      </ThemeIcon>
      <div className="first-run-step">
        <Text size="sm" fw={500} {...(isDone && { c: 'dimmed' })}>
          {title}
          {isDone && <VisuallyHidden> {t('first.isDone')}</VisuallyHidden>}
        </Text>
        <Text component="div" size="sm" c="dimmed">
          {children}
        </Text>
      </div>
    </Group>
  )
}
