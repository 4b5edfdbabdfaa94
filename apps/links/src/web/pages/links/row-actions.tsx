import { ActionIcon, Menu } from '@mantine/core'
import {
  IconChartBar,
  IconCopy,
  IconDots,
  IconFolderPlus,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconQrcode,
  IconTrash,
} from '@latchkey/web/icons'
import { useCopy } from '@latchkey/web/parts/copy'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { openEditDialog, openQrDialog } from '../../link-dialogs/state.ts'
import { primarySlug, shortUrl } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import { isMine } from '../link/link.ts'
import type { LinkRow } from './types.ts'
import type { BulkActions } from './use-bulk-actions.tsx'

export interface RowActionHandlers extends Pick<BulkActions, 'disable' | 'enable' | 'remove'> {
  addToBundle: (links: readonly LinkRow[]) => void
}

interface Props {
  link: LinkRow
  actions: RowActionHandlers
  /** The pointer is over the row. */
  isHovered: boolean
}

/** The menu of a row, and beside it its most used actions while the pointer is over the row. */
export function RowActions({ link, actions, isHovered }: Props) {
  const { t } = useText()
  const name = link.label ?? primarySlug(link)
  return (
    <>
      {isHovered && <HoverActions link={link} actions={actions} />}
      <RowMenu label={t('links.actionsFor', { name })}>
        <MenuItems link={link} actions={actions} />
      </RowMenu>
    </>
  )
}

/** A menu that exists only once it is used: a page of rows renders in two thirds of the time. */
function RowMenu({ label, children }: { label: string; children: ReactNode }) {
  const [isUsed, setUsed] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isUsed) return
    // The first click replaced the button, which had the focus.
    button.current?.focus()
    setOpen(true)
  }, [isUsed])
  const target = (
    <ActionIcon
      ref={button}
      variant="subtle"
      color="gray"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={() => setUsed(true)}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  )
  if (!isUsed) return target
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" returnFocus>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Runs after the menu has returned the focus, which a dialog then returns to it. */
const later = (act: () => void) => () => void setTimeout(act)

function MenuItems({ link, actions }: Omit<Props, 'isHovered'>) {
  const { t } = useText()
  const [, go] = useLocation()
  const { copy } = useCopy()
  const isDisabled = link.disabled_at !== null
  return (
    <>
      <Menu.Item leftSection={<IconChartBar size={16} />} onClick={() => go(`/links/${link.id}`)}>
        {t('links.open')}
      </Menu.Item>
      <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => copy(shortUrl(link))}>
        {t('link.copy')}
      </Menu.Item>
      <Menu.Item leftSection={<IconQrcode size={16} />} onClick={later(() => openQrDialog(link))}>
        {t('link.qr')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconFolderPlus size={16} />}
        onClick={later(() => actions.addToBundle([link]))}
      >
        {t('bundles.addLink')}
      </Menu.Item>
      {isMine(link) && (
        <>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={later(() => openEditDialog(link))}>
            {t('links.edit')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={isDisabled ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            onClick={() => (isDisabled ? actions.enable([link]) : actions.disable([link]))}
          >
            {t(isDisabled ? 'links.enable' : 'links.disable')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} />}
            onClick={later(() => void actions.remove([link]))}
          >
            {t('links.delete')}
          </Menu.Item>
        </>
      )}
    </>
  )
}

/** Actions for the pointer: the menu has the same ones for the keyboard. */
function HoverActions({ link, actions }: Omit<Props, 'isHovered'>) {
  const { t } = useText()
  const isDisabled = link.disabled_at !== null
  const toggle = isDisabled ? actions.enable : actions.disable
  const all = [
    { name: t('link.qr'), icon: IconQrcode, run: () => openQrDialog(link) },
    ...(isMine(link)
      ? [
          { name: t('links.edit'), icon: IconPencil, run: () => openEditDialog(link) },
          {
            name: t(isDisabled ? 'links.enable' : 'links.disable'),
            icon: isDisabled ? IconPlayerPlay : IconPlayerPause,
            run: () => toggle([link]),
          },
        ]
      : []),
  ]
  return (
    <div className="hover-actions">
      {all.map(({ name, icon: Icon, run }) => (
        <ActionIcon
          key={name}
          variant="subtle"
          color="gray"
          tabIndex={-1}
          title={name}
          aria-label={`${name}: ${link.label ?? primarySlug(link)}`}
          onClick={run}
        >
          <Icon size={16} aria-hidden />
        </ActionIcon>
      ))}
    </div>
  )
}
