import { Anchor, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link as To } from 'wouter'
import { primarySlug } from '../../parts/short.ts'
import { useText } from '../../texts/text.ts'
import type { Link } from './link.ts'
import type { Doomed, Removal } from './removal.tsx'
import type { useWork } from './work.ts'

interface Props {
  link: Link
  doomed: Doomed
  close: () => void
  removal: Removal
  work: ReturnType<typeof useWork>
}

/** Why it cannot be deleted or removed just like that, and the two ways on. */
export function Blocked({ link, doomed, close, removal, work }: Props) {
  const { t } = useText()
  const isLink = doomed === 'link'
  const isDisabled = (isLink ? link : doomed).disabled_at !== null
  const disable = () => {
    close()
    if (isLink) work.disable()
    else work.disableSlug(doomed)
  }
  const force = () => {
    close()
    removal.force(doomed)
  }
  return (
    <Stack gap="md">
      <Why link={link} doomed={doomed} />
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 200px">
          {t(isDisabled ? 'link.alreadyDisabled' : 'link.blockedDisable')}
        </Text>
        {!isDisabled && (
          <Button onClick={disable} data-autofocus>
            {t('link.disableInstead')}
          </Button>
        )}
      </Group>
      <Divider />
      <Confirm
        slug={isLink ? primarySlug(link) : doomed.slug}
        action={t(isLink ? 'link.deleteForced' : 'link.removeForced')}
        onConfirm={force}
      />
    </Stack>
  )
}

function Why({ link, doomed }: Pick<Props, 'link' | 'doomed'>) {
  const { t } = useText()
  const isLink = doomed === 'link'
  // Not those of `doomed` itself: they are of when its removal was begun.
  const count = isLink
    ? link.total_clicks
    : (link.slugs.find(({ slug }) => slug === doomed.slug) ?? doomed).click_count
  if (count > 0) {
    const key = isLink ? 'link.blockedDeleteHelp' : 'link.blockedRemoveHelp'
    return <Text size="sm">{t(key, { count })}</Text>
  }
  return (
    <Text size="sm">
      {t('link.blockedHidden')}{' '}
      <Anchor component={To} href="/settings" size="sm" underline="always">
        {t('nav.settings')}
      </Anchor>
    </Text>
  )
}

function Confirm({ slug, action, onConfirm }: { slug: string; action: string; onConfirm: () => void }) {
  const { t } = useText()
  const [typed, setTyped] = useState('')
  const isRight = typed.trim().toLowerCase() === slug
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isRight) onConfirm()
      }}
    >
      <Stack gap="sm" align="stretch">
        <TextInput
          label={t('link.blockedType', { slug })}
          styles={{ label: { overflowWrap: 'anywhere' } }}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button
          type="submit"
          color="red"
          variant="light"
          disabled={!isRight}
          style={{ alignSelf: 'flex-end' }}
        >
          {action}
        </Button>
      </Stack>
    </form>
  )
}
