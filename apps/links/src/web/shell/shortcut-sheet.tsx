import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core'
import { type TextKey, useText } from '../texts/text.ts'

const SHORTCUTS: readonly (readonly [text: TextKey, keys: string])[] = [
  ['shortcuts.palette', /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'],
  ['shell.newLink', 'C'],
  ['shortcuts.search', '/'],
  ['nav.dashboard', 'G D'],
  ['nav.links', 'G L'],
  ['nav.bundles', 'G B'],
  ['nav.keys', 'G K'],
  ['nav.importExport', 'G I'],
  ['nav.settings', 'G S'],
  ['shortcuts.sheet', '?'],
]

interface Props {
  isOpen: boolean
  close: () => void
  isEnabled: boolean
  setEnabled: (isEnabled: boolean) => void
}

/** Lists the shortcuts. Those of one letter can be switched off. */
export default function ShortcutSheet({ isOpen, close, isEnabled, setEnabled }: Props) {
  const { t } = useText()
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Stack gap="md">
        <dl className="shortcuts">
          {SHORTCUTS.map(([text, keys]) => (
            <Group key={text} justify="space-between" wrap="nowrap">
              <Text component="dt" size="sm">
                {t(text)}
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
