import { ActionIcon, Anchor, Box, Group, Menu } from '@mantine/core'
import {
  IconArrowLeft,
  IconCopyPlus,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { showSuccess, showError } from '@latchkey/web/toast'
import type { RefObject } from 'react'
import { Link as To, useLocation } from 'wouter'
import { call } from '../../call.ts'
import { ShareButton } from '../../parts/share.tsx'
import { invalidate } from '../../queries.ts'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useText } from '../../texts/text.ts'
import type { DialogState } from './dialogs.tsx'
import { EditInPlace } from './edit-in-place.tsx'
import { type Link, isMine, nameOf } from './link.ts'
import type { Removal } from './use-removal.tsx'
import { StateBadge } from './state-badge.tsx'
import type { useLinkActions } from './use-link-actions.ts'

const MAX_LABEL_LENGTH = 500

export interface LinkControls {
  link: Link
  openDialog: (dialog: DialogState) => void
  /** The element that opened the dialog. */
  opener: RefObject<HTMLElement | null>
  removal: Removal
  actions: ReturnType<typeof useLinkActions>
}

export function BackToLinks() {
  const { t } = useText()
  return (
    <Anchor component={To} href="/links" size="sm" c="dimmed" style={{ alignSelf: 'flex-start' }}>
      <Group gap={4} component="span">
        <IconArrowLeft size={15} aria-hidden />
        {t('link.back')}
      </Group>
    </Anchor>
  )
}

export function LinkHeader(controls: LinkControls) {
  const { t } = useText()
  const { link } = controls
  const save = async (label: string) => {
    await call('updateLink', { params: { id: link.id }, body: { label: label.trim() || null } })
    await invalidate('links')
  }
  return (
    <Group justify="space-between" align="flex-start" gap="md">
      <Box flex="1 1 320px" miw={0}>
        <EditInPlace
          mayEdit={isMine(link)}
          large
          label={t('link.label')}
          edit={t('link.editLabel')}
          value={link.label ?? ''}
          maxLength={MAX_LABEL_LENGTH}
          save={save}
        >
          <PageHeading title={nameOf(link)} dir="auto" style={{ overflowWrap: 'anywhere' }} lineClamp={4} />
        </EditInPlace>
      </Box>
      <Group gap="xs">
        <StateBadge link={link} />
        {isMine(link) && <ShareButton kind="link" id={link.id} />}
        <LinkMenu {...controls} />
      </Group>
    </Group>
  )
}

function LinkMenu({ link, openDialog, opener, removal, actions }: LinkControls) {
  const { t } = useText()
  const duplicate = useDuplicate(link)
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('link.actions')}
          onFocus={({ currentTarget }) => {
            opener.current = currentTarget
          }}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => openDialog({ about: 'slug' })}>
          {t('link.addSlug')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopyPlus size={16} />} onClick={duplicate}>
          {t('link.duplicate')}
        </Menu.Item>
        {isMine(link) && (
          <>
            <Menu.Divider />
            {link.disabled_at === null ? (
              <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={actions.disable}>
                {t('link.disable')}
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={actions.enable}>
                {t('link.enable')}
              </Menu.Item>
            )}
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} />}
              onClick={() => removal.begin('link')}
            >
              {t('link.delete')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/**
 * Creates a link to the same URL, owned by the user, and opens its page. Omits an expiry in the
 * past.
 */
function useDuplicate(link: Link): () => void {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const { mutate } = useMutation({
    mutationFn: () => {
      const { url, label, expires_at } = link
      const expiry = expires_at !== null && expires_at * 1000 > Date.now() ? { expires_at } : {}
      const body = { url, ...(label !== null && { label }), ...expiry, allow_duplicate: true }
      return link.domain === undefined
        ? call('createLink', { body })
        : call('createDomainLink', { params: { host: link.domain }, body })
    },
    onSuccess({ id }) {
      go(`/links/${id}`)
      showSuccess(t('link.duplicated'))
      void invalidate('links', 'totals')
    },
    onError: (error) => showError(failure(error)),
  })
  return () => mutate()
}
