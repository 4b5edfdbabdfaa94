import { Kbd, Menu } from '@mantine/core'
import { ButtonMenu } from '@latchkey/web/parts/layer'
import type { ComponentProps } from 'react'
import type { MenuItem } from './use-message-menu.ts'

interface Props extends Pick<ComponentProps<typeof ButtonMenu>, 'button' | 'isOpen' | 'onChange'> {
  items: readonly MenuItem[]
}

/** The actions for which the toolbar of a message has no place. */
export default function MessageMenu({ items, ...layer }: Props) {
  return (
    <ButtonMenu {...layer} position="bottom-end">
      {items.map(({ id, label, icon: Icon, letter, isDangerous, run }) => (
        <Menu.Item
          key={id}
          leftSection={<Icon size={16} stroke={1.8} aria-hidden />}
          rightSection={
            letter && (
              <Kbd size="xs" aria-hidden>
                {letter}
              </Kbd>
            )
          }
          {...(letter && { 'aria-keyshortcuts': letter })}
          {...(isDangerous && { color: 'red' })}
          onClick={run}
        >
          {label}
        </Menu.Item>
      ))}
    </ButtonMenu>
  )
}
