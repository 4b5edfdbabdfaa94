import { ActionIcon, Menu, Text } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowRight,
  IconArrowUp,
  IconDots,
  IconPencil,
  IconTrash,
} from '@latchkey/web/icons'
import type { ReactNode } from 'react'
import { withoutScheme } from '../../../parts/short-url.ts'
import { useText } from '../../../texts/text.ts'
import type { BehaviourControls } from './behaviour.ts'
import type { Parts, Rule } from '../../../parts/behaviour/types.ts'
import type { useBehaviourActions } from './use-behaviour-actions.ts'

interface Props extends Pick<BehaviourControls, 'open'> {
  actions: ReturnType<typeof useBehaviourActions>
  /** Ends a split with this variant. */
  promote: (variant: string) => void
}

interface RuleProps extends Props {
  index: number
  rules: readonly Rule[]
  move: (from: number, to: number) => void
}

export function RuleMenu({ index, rules, move, promote, actions, open }: RuleProps) {
  const { t } = useText()
  const to = rules[index]?.to
  return (
    <ItemMenu
      label={t('behaviour.ruleMenu', { number: index + 1 })}
      edit={() => open({ about: 'rule', index })}
    >
      {index > 0 && (
        <Menu.Item leftSection={<IconArrowUp size={16} />} onClick={() => move(index, index - 1)}>
          {t('behaviour.moveUp')}
        </Menu.Item>
      )}
      {index < rules.length - 1 && (
        <Menu.Item leftSection={<IconArrowDown size={16} />} onClick={() => move(index, index + 1)}>
          {t('behaviour.moveDown')}
        </Menu.Item>
      )}
      {typeof to === 'object' && <PromoteItems parts={to.split} variant={index + 1} promote={promote} />}
      <RemoveItem onClick={() => actions.removeRule(index)} />
    </ItemMenu>
  )
}

export function SplitMenu({ split, promote, actions, open }: Props & { split: Parts }) {
  const { t } = useText()
  return (
    <ItemMenu label={t('behaviour.splitMenu')} edit={() => open({ about: 'split' })}>
      <PromoteItems parts={split} variant={0} promote={promote} />
      <RemoveItem onClick={actions.removeSplit} />
    </ItemMenu>
  )
}

interface PromoteProps extends Pick<Props, 'promote'> {
  parts: Parts
  variant: number
}

function PromoteItems({ parts, variant, promote }: PromoteProps) {
  const { t } = useText()
  return (
    <>
      <Menu.Divider />
      {parts.map(({ url, label }, index) => (
        <Menu.Item
          key={index}
          maw={320}
          leftSection={<IconArrowRight size={16} />}
          onClick={() => promote(`${variant}.${index + 1}`)}
        >
          <Text size="sm" truncate>
            {t('behaviour.promote', { name: label ?? withoutScheme(url) })}
          </Text>
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}

function RemoveItem({ onClick }: { onClick: () => void }) {
  const { t } = useText()
  return (
    <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={onClick}>
      {t('link.remove')}
    </Menu.Item>
  )
}

function ItemMenu({ label, edit, children }: { label: string; edit: () => void; children: ReactNode }) {
  const { t } = useText()
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDots size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
          {t('behaviour.edit')}
        </Menu.Item>
        {children}
      </Menu.Dropdown>
    </Menu>
  )
}
