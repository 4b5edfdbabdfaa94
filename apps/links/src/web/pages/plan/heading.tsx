import { Anchor, Group, Stack } from '@mantine/core'
import { IconArrowLeft } from '@latchkey/web/icons'
import { PageHeading } from '@latchkey/web/shell/heading'
import { Link } from 'wouter'
import { useText } from '../../texts/text.ts'

export function PlanHeading({ id }: { id: number }) {
  const { t } = useText()
  return (
    <Stack gap="sm">
      <Anchor component={Link} href="/plans" size="sm" c="dimmed" w="fit-content">
        <Group gap={4} wrap="nowrap">
          <IconArrowLeft size={14} aria-hidden />
          {t('plans.toList')}
        </Group>
      </Anchor>
      <PageHeading title={t('plans.untitled', { id })} lh={1.3} />
    </Stack>
  )
}
