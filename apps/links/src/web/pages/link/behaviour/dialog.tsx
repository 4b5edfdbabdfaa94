import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useText } from '../../../texts/text.ts'
import type { BehaviourControls, BehaviourDialog } from './behaviour.ts'
import { ForwardForm } from './forward-form.tsx'
import { RuleForm } from './rule-form.tsx'
import { SplitForm } from './split-form.tsx'
import { TestPanel } from './test-panel.tsx'
import { TimesForm } from './times-form.tsx'

interface Props extends BehaviourControls {
  dialog: BehaviourDialog
  close: () => void
}

/** The dialogs about the behaviour of a link, which fill the screen of a phone. */
export default function BehaviourDialogs({ dialog, ...props }: Props) {
  const { t } = useText()
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const titles = {
    rule: t(dialog.about === 'rule' && dialog.index !== undefined ? 'behaviour.editRule' : 'link.addRule'),
    split: t('link.split'),
    forward: t('link.forward'),
    times: t('link.when'),
    test: t('behaviour.test'),
  }
  return (
    <Modal
      opened
      onClose={props.close}
      title={titles[dialog.about]}
      size="lg"
      fullScreen={isPhone}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      styles={{ title: { fontWeight: 600 } }}
    >
      {dialog.about === 'rule' && <RuleForm index={dialog.index} {...props} />}
      {dialog.about === 'split' && <SplitForm {...props} />}
      {dialog.about === 'forward' && <ForwardForm {...props} />}
      {dialog.about === 'times' && <TimesForm {...props} />}
      {dialog.about === 'test' && <TestPanel link={props.link} />}
    </Modal>
  )
}
