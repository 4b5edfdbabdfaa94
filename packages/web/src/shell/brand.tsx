import { Menu, UnstyledButton } from '@mantine/core'
import { IconSelector } from '../icons.ts'
import { BrandMark } from '../brand-mark.tsx'
import { useTexts } from '../texts.ts'

const { sibling, siblingName = '' } = document.documentElement.dataset

/**
 * The mark and name of the product. If the page names the address of the other product, the brand is
 * a menu that switches to it.
 */
export function Brand() {
  const { t } = useTexts<string>()
  const name = <Wordmark name={t('app.name')} />
  if (sibling === undefined) return <div className="brand">{name}</div>
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <UnstyledButton className="brand" aria-label={t('brand.switch', { name: t('app.name') })}>
          {name}
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={sibling}>
          {t('brand.open', { name: siblingName })}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
