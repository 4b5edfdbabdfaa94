import { Group, Kbd, Modal, Stack, Switch, Text, Title } from '@mantine/core'
import { useTexts } from '../texts.ts'

/** Shortcuts of one part of the pages. */
export interface ShortcutGroup {
  /** Undefined for the only one. */
  title?: string
  /** What a shortcut does, and its keys: those that are pressed one after the other by spaces. */
  shortcuts: readonly (readonly [label: string, keys: string])[]
}

interface Props {
  isOpen: boolean
  close: () => void
  groups: readonly ShortcutGroup[]
  isEnabled: boolean
  setEnabled: (isEnabled: boolean) => void
}

/** Lists the shortcuts. Those of one letter can be switched off. */
export function ShortcutSheet({ isOpen, close, groups, isEnabled, setEnabled }: Props) {
  const { t } = useTexts()
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Stack gap="md">
        {groups.map(({ title, shortcuts }) => (
          <div key={title ?? ''}>
            {title !== undefined && (
              <Title order={3} size="sm" mb={6}>
                {title}
              </Title>
            )}
            <dl className="shortcuts">
              {shortcuts.map(([label, keys]) => (
                <Group key={label} justify="space-between" wrap="nowrap">
                  <Text component="dt" size="sm">
                    {label}
                  </Text>
                  <Group component="dd" gap="xs" m={0} wrap="nowrap">
                    {keys.split(' ').map((key) => (
                      <Kbd key={key} size="sm">
                        {key}
                      </Kbd>
                    ))}
                  </Group>
                </Group>
              ))}
            </dl>
          </div>
        ))}
        <Switch
          label={t('shortcuts.enable')}
          description={t('shortcuts.enableHelp')}
          checked={isEnabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
