import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { IconSelector } from '../icons.ts'
import { BrandMark } from '../brand-mark.tsx'
import { lazyPart } from '../lazy-page.ts'
import { useTexts } from '../texts.ts'
import { OnUse } from './on-use.tsx'

const { sibling, siblingName = '' } = document.documentElement.dataset

const BrandMenu = lazyPart(() => import('./brand-menu.tsx'))

/**
 * The mark and name of the product. If the page names the address of the other product, the brand is
 * a menu that switches to it.
 */
export function Brand() {
  const { t } = useTexts<string>()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const name = <Wordmark name={t('app.name')} />
  if (sibling === undefined) return <div className="brand">{name}</div>
  return (
    <>
      <UnstyledButton
        ref={setButton}
        className="brand"
        aria-label={t('brand.switch', { name: t('app.name') })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {name}
        <IconSelector size={14} aria-hidden />
      </UnstyledButton>
      <OnUse isUsed={isOpen}>
        <BrandMenu
          button={button}
          isOpen={isOpen}
          onChange={setOpen}
          sibling={sibling}
          siblingName={siblingName}
        />
      </OnUse>
    </>
  )
}

/** The family name leads; the product follows in a lighter weight. Other names stay as they are. */
function Wordmark({ name }: { name: string }) {
  const product = /^Latchkey (.+)$/.exec(name)?.[1]
  return (
    <>
      <BrandMark size={24} />
      <span className="wordmark">
        {product === undefined ? (
          name
        ) : (
          <>
            Latchkey <span className="wordmark-product">{product}</span>
          </>
        )}
      </span>
    </>
  )
}
