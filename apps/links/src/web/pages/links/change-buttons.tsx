import { Button } from '@mantine/core'
import { useText } from '../../texts/text.ts'
import type { ChangeKind } from './change-form.tsx'

interface Props {
  isBusy?: boolean
  onChoose: (kind: ChangeKind) => void
}

/** Open the forms for the expiry and the owner of many links. */
export function ChangeButtons({ isBusy = false, onChoose }: Props) {
  const { t } = useText()
  return (
    <>
      <Button size="compact-sm" variant="default" disabled={isBusy} onClick={() => onChoose('expiry')}>
        {t('links.setExpiry')}
      </Button>
      <Button size="compact-sm" variant="default" disabled={isBusy} onClick={() => onChoose('owner')}>
        {t('links.transfer')}
      </Button>
    </>
  )
}
