import { Button } from '@mantine/core'
import { useText } from '../../texts/text.ts'
import type { ScreenDetail } from '../own-media.ts'

/** How a screen is shared. */
export function ScreenChoice({ onChoose }: { onChoose: (detail: ScreenDetail) => void }) {
  const { t } = useText()
  return (
    <>
      <Button variant="default" data-autofocus onClick={() => onChoose('sharp')}>
        {t('call.shareSharp')}
      </Button>
      <Button variant="default" onClick={() => onChoose('smooth')}>
        {t('call.shareSmooth')}
      </Button>
    </>
  )
}
