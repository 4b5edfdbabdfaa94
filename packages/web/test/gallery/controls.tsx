import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Tabs,
  TextInput,
  Textarea,
} from '@mantine/core'
import { IconPlus, IconSearch, IconTrash } from '@latchkey/web/icons'
import { useState } from 'react'
import { Copy } from '@latchkey/web/parts/copy'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { Section } from './section.tsx'

export function Controls() {
  return (
    <>
      <Section title="Buttons">
        <Group gap="sm">
          <Button leftSection={<IconPlus size={16} aria-hidden />}>Primary</Button>
          <Button variant="default">Secondary</Button>
          <Button variant="light">Light</Button>
          <Button variant="subtle">Subtle</Button>
          <Button color="red">Delete</Button>
          <Button disabled>Disabled</Button>
          <Button loading>Saving</Button>
          <Button size="xs" variant="default">
            Small
          </Button>
          <ActionIcon variant="subtle" color="gray" aria-label="Delete">
            <IconTrash size={16} />
          </ActionIcon>
          <Copy value="spring-sale" />
          <Button component="a" href="/" variant="default">
            As a link
          </Button>
          <Anchor href="/">Link</Anchor>
        </Group>
      </Section>
      <Fields />
      <Choices />
    </>
  )
}

function Fields() {
  return (
    <Section title="Fields">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        <TextInput label="Name" description="At most 64 characters." placeholder="General" />
        <TextInput label="Slug" defaultValue="spring sale" error="Slugs have no spaces." />
        <TextInput
          type="search"
          label="Search"
          leftSection={<IconSearch size={16} aria-hidden />}
          placeholder="Search links"
        />
        <Capacity />
        <NativeSelect label="Language" data={['English', 'Svenska', 'Bahasa Indonesia']} />
        <Select
          label="Message history"
          data={['All messages', 'Since they joined']}
          defaultValue="All messages"
          comboboxProps={{ withinPortal: false }}
        />
        <Textarea label="Announcement" autosize minRows={2} />
        <TextInput label="Disabled" defaultValue="Set by the operator" disabled />
      </SimpleGrid>
    </Section>
  )
}

function Capacity() {
  const [value, setValue] = useState<number | null>(50)
  return <IntegerField label="Capacity" value={value} onChange={setValue} />
}

function Choices() {
  return (
    <Section title="Choices">
      <Group gap="lg" align="flex-start">
        <Stack gap="xs">
          <Checkbox label="Include bots" defaultChecked />
          <Checkbox label="Some of them" indeterminate />
          <Checkbox label="Hide duplicates" />
          <Switch label="Allow guests" defaultChecked />
          <Switch label="Off" />
        </Stack>
        <Radio.Group label="Visibility" defaultValue="public">
          <Stack gap="xs" mt="xs">
            <Radio value="public" label="Public" description="Anyone can find it and join" />
            <Radio value="private" label="Private" description="Only members can find it and join" />
          </Stack>
        </Radio.Group>
      </Group>
      <SegmentedControl aria-label="Range" data={['24H', '7D', '30D']} defaultValue="7D" />
      <Tabs defaultValue="people">
        <Tabs.List aria-label="Tabs">
          <Tabs.Tab value="people">People</Tabs.Tab>
          <Tabs.Tab value="rooms">Rooms</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="people" pt="sm">
          Contents of a tab
        </Tabs.Panel>
        <Tabs.Panel value="rooms" pt="sm">
          Contents of another tab
        </Tabs.Panel>
      </Tabs>
    </Section>
  )
}
