import { Menu } from '@mantine/core'
import type { ComponentProps } from 'react'
import { ButtonMenu } from '../parts/layer.tsx'
import { useTexts } from '../texts.ts'

interface Props extends Pick<ComponentProps<typeof ButtonMenu>, 'button' | 'isOpen' | 'onChange'> {
  sibling: string
  siblingName: string
}

/** The menu of the brand, which switches to the other product. */
export default function BrandMenu({ sibling, siblingName, ...props }: Props) {
  const { t } = useTexts()
  return (
    <ButtonMenu {...props} position="bottom-start" width={220}>
      <Menu.Item component="a" href={sibling}>
        {t('brand.open', { name: siblingName })}
      </Menu.Item>
    </ButtonMenu>
  )
}
