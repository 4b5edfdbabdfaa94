import { Anchor, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link as To } from 'wouter'
import { primarySlug } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { Link } from './link.ts'
import type { DeletionTarget, Removal } from './use-removal.tsx'
import type { useLinkActions } from './use-link-actions.ts'

interface Props {
  link: Link
  target: DeletionTarget
  close: () => void
  removal: Removal
  actions: ReturnType<typeof useLinkActions>
}

/**
 * Explains why clicks block a deletion or removal. Offers to disable the target instead, or to
 * delete it with its clicks.
 */
export function BlockedDeletion({ link, target, close, removal, actions }: Props) {
  const { t } = useText()
  const isLink = target === 'link'
  const isDisabled = (isLink ? link : target).disabled_at !== null
  const disable = () => {
    close()
    if (isLink) actions.disable()
    else actions.disableSlug(target)
  }
  const force = () => {
    close()
    removal.force(target)
  }
  return (
    <Stack gap="md">
      <BlockedReason link={link} target={target} />
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
      <ConfirmDeletion
        slug={isLink ? primarySlug(link) : target.slug}
        action={t(isLink ? 'link.deleteForced' : 'link.removeForced')}
        onConfirm={force}
      />
    </Stack>
  )
}

function BlockedReason({ link, target }: Pick<Props, 'link' | 'target'>) {
  const { t } = useText()
  const isLink = target === 'link'
  // The counts of `target` date from the start of its removal.
  const count = isLink
    ? link.total_clicks
    : (link.slugs.find(({ slug }) => slug === target.slug) ?? target).click_count
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

function ConfirmDeletion({
  slug,
  action,
  onConfirm,
}: {
  slug: string
  action: string
  onConfirm: () => void
}) {
  const { t } = useText()
  const [text, setText] = useState('')
  const isMatch = text.trim().toLowerCase() === slug
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isMatch) onConfirm()
      }}
    >
      <Stack gap="sm" align="stretch">
        <TextInput
          label={t('link.blockedType', { slug })}
          styles={{ label: { overflowWrap: 'anywhere' } }}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button
          type="submit"
          color="red"
          variant="light"
          disabled={!isMatch}
          style={{ alignSelf: 'flex-end' }}
        >
          {action}
        </Button>
      </Stack>
    </form>
  )
}
