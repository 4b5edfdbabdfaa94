import { Badge, Group, Pagination, Table, Text } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import { Section } from './section.tsx'

const LINKS = [
  { slug: 'spring-sale', destination: 'example.com/shop/spring', clicks: '10,018', state: 'Active' },
  { slug: 'docs', destination: 'example.com/help', clicks: '1,204', state: 'Expires in 3 days' },
  { slug: 'old', destination: 'example.com/2024', clicks: '0', state: 'Disabled' },
] as const

export function Tables() {
  return (
    <Section title="Tables and badges">
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Slug</Table.Th>
            <Table.Th visibleFrom="sm">Destination</Table.Th>
            <Table.Th visibleFrom="sm">State</Table.Th>
            <Table.Th ta="right">Clicks</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {LINKS.map(({ slug, destination, clicks, state }) => (
            <Table.Tr key={slug} h={44}>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <Text className="mono" fw={500}>
                    {slug}
                  </Text>
                  <Copy value={slug} />
                </Group>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Text size="sm" c="dimmed">
                  {destination}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{state}</Table.Td>
              <Table.Td ta="right">{clicks}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Pagination
        total={3}
        getControlProps={(control) => ({ 'aria-label': control })}
        getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
      />
      <Group gap="sm">
        <Badge>Filled</Badge>
        <Badge variant="light">Owner</Badge>
        <Badge variant="default">Guest</Badge>
        <Badge variant="light" color="red">
          Disabled
        </Badge>
      </Group>
    </Section>
  )
}
