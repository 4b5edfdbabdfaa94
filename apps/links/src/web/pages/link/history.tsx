import { Button, Group, Paper, Skeleton, Title } from '@mantine/core'
import { IconHistory } from '@latchkey/web/icons'
import { Suspense, lazy, useState } from 'react'
import { useText } from '../../texts/text.ts'
import type { Link } from './link.ts'

const LinkChanges = lazy(() => import('./link-changes.tsx'))

/** The history of a link (L29.2), which is read on demand. */
export function History({ link }: { link: Link }) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-label={t('link.history')}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('link.history')}
        </Title>
        {!isOpen && (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconHistory size={16} aria-hidden />}
            onClick={() => setOpen(true)}
          >
            {t('link.showHistory')}
          </Button>
        )}
      </Group>
      {isOpen && (
        <Suspense fallback={<Skeleton height={160} mt="md" />}>
          <LinkChanges link={link} />
        </Suspense>
      )}
    </Paper>
  )
}
