import { Group, Text } from '@mantine/core'
import { Section } from './section.tsx'

export function Brands() {
  return (
    <Section title="Brand">
      {(['links', 'rooms'] as const).map((product) => (
        <Group key={product} gap="md" align="flex-end">
          {[16, 24, 48].map((size) => (
            <img key={size} src={`/${product}/favicon.svg`} alt="" width={size} height={size} />
          ))}
          <img src={`/${product}/icon-192.png`} alt="" width={96} height={96} />
          <Text size="sm">{product === 'links' ? 'Latchkey Links' : 'Latchkey Rooms'}</Text>
        </Group>
      ))}
    </Section>
  )
}
