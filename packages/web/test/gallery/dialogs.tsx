import { Button, Drawer, Group, Menu, Modal, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@latchkey/web/icons'
import { Palette, type PaletteAction, type PaletteGroup, matches } from '@latchkey/web/parts/palette'
import { withUndo } from '@latchkey/web/parts/undo'
import { useTexts } from '@latchkey/web/texts'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { Section } from './section.tsx'

const PAGES: readonly PaletteAction[] = ['Dashboard', 'Links'].map((label) => ({
  id: label,
  label,
  icon: <IconSearch size={16} />,
  run: () => {},
}))

function findPages(query: string): readonly PaletteGroup[] {
  const actions = PAGES.filter((page) => matches(query, page))
  return actions.length > 0 ? [{ label: 'Pages', actions }] : []
}

export function Dialogs() {
  const [isDialogOpen, dialog] = useDisclosure()
  const [isDrawerOpen, drawer] = useDisclosure()
  const [isPaletteOpen, palette] = useDisclosure()
  return (
    <Section title="Menus, dialogs and notifications">
      <Group gap="sm">
        <Menu>
          <Menu.Target>
            <Button variant="default">Menu</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>spring-sale</Menu.Label>
            <Menu.Item>Edit</Menu.Item>
            <Menu.Item>QR code</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red">Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Tooltip label="A hint">
          <Button variant="default">Hint</Button>
        </Tooltip>
        <Button variant="default" onClick={dialog.open}>
          Dialog
        </Button>
        <Button variant="default" onClick={drawer.open}>
          Drawer
        </Button>
        <Button variant="default" onClick={palette.open}>
          Palette
        </Button>
      </Group>
      <Toasts />
      <Palette isOpen={isPaletteOpen} close={palette.close} label="Pages" useGroups={findPages} />
      <Modal
        opened={isDialogOpen}
        onClose={dialog.close}
        title="Delete this link?"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap="md">
          <Text>This also deletes its 299 clicks.</Text>
          <TextInput label="Type spring-sale to confirm" data-autofocus />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={dialog.close}>
              Cancel
            </Button>
            <Button color="red" onClick={dialog.close}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
      <Drawer
        opened={isDrawerOpen}
        onClose={drawer.close}
        position="right"
        title="Manage room"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        Contents of a drawer
      </Drawer>
    </Section>
  )
}

function Toasts() {
  const { t } = useTexts()
  const [isHere, setHere] = useState(true)
  const remove = () => {
    setHere(false)
    withUndo(t, 'Link removed from the bundle', { act: () => {}, undo: () => setHere(true) })
  }
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => showSuccess('Settings saved')}>
        Confirmation
      </Button>
      <Button variant="default" onClick={() => showError('The service does not answer.', t('shell.close'))}>
        Error
      </Button>
      <Button variant="default" onClick={remove} disabled={!isHere}>
        Undo
      </Button>
    </Group>
  )
}
