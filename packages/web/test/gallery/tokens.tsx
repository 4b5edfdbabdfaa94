import { Code, Group, Stack, Text, Title } from '@mantine/core'
import { Section } from './section.tsx'

const SIZES = ['xs', 'sm', 'md', 'lg', 'xl'] as const

export function Type() {
  return (
    <Section title="Type">
      <Title order={3}>Heading of a group</Title>
      {SIZES.map((size) => (
        <Text key={size} size={size}>
          {size}: The latch lifts, the door opens. <Text span inherit c="dimmed" children="Secondary text" />
        </Text>
      ))}
      <Text>
        <span style={{ fontWeight: 400 }}>400 text</span> · <span style={{ fontWeight: 500 }}>500 name</span>{' '}
        · <strong>600 number</strong>
      </Text>
      <Text className="figure" fw={600} fz="xl">
        10,018,240
      </Text>
      <Text className="mono">go.example.com/spring-sale</Text>
      <Code>latchkey keys create</Code>
    </Section>
  )
}

export function Sizes() {
  return (
    <Section title="Space and radii">
      <Stack gap="xs">
        {SIZES.map((size) => (
          <Group key={size} gap="sm">
            <Text size="sm" w={24}>
              {size}
            </Text>
            <span
              style={{
                width: `var(--mantine-spacing-${size})`,
                height: 12,
                background: 'var(--accent)',
              }}
            />
          </Group>
        ))}
      </Stack>
      <Group gap="md">
        {(['sm', 'md', 'lg'] as const).map((size) => (
          <span
            key={size}
            style={{
              padding: '8px 12px',
              border: '1px solid var(--border-strong)',
              borderRadius: `var(--mantine-radius-${size})`,
            }}
          >
            {size}
          </span>
        ))}
      </Group>
    </Section>
  )
}

const SURFACES = ['0', '1', '2', 'sunken', 'hover', 'selected'] as const
const TEXTS = ['text', 'text-dimmed', 'accent-text', 'positive', 'negative', 'warning'] as const
const FILLS = ['accent', 'brand-ink', 'brand-brass', 'border', 'border-strong'] as const
const CHARTS = ['1', '2', '3', '4', '5', '6', 'compare', 'grid', 'track'] as const

export function Colours() {
  return (
    <Section title="Colours">
      <Group gap="sm">
        {SURFACES.map((name) => (
          <Stack
            key={name}
            gap={2}
            p="sm"
            style={{
              border: '1px solid var(--border)',
              borderRadius: 'var(--mantine-radius-md)',
              background: `var(--surface-${name})`,
            }}
          >
            <Text size="xs">surface-{name}</Text>
            {TEXTS.map((text) => (
              <Text key={text} size="xs" style={{ color: `var(--${text})` }}>
                {text}
              </Text>
            ))}
          </Stack>
        ))}
      </Group>
      <Swatches names={FILLS} />
      <Swatches names={CHARTS.map((name) => `chart-${name}`)} />
      <Group gap="md">
        {(['1', '2', '3'] as const).map((name) => (
          <span
            key={name}
            style={{
              padding: '8px 12px',
              borderRadius: 'var(--mantine-radius-md)',
              background: 'var(--surface-2)',
              boxShadow: `var(--shadow-${name})`,
            }}
          >
            shadow-{name}
          </span>
        ))}
      </Group>
    </Section>
  )
}

function Swatches({ names }: { names: readonly string[] }) {
  return (
    <Group gap="sm">
      {names.map((name) => (
        <Group key={name} gap="xs" wrap="nowrap">
          <span
            className="swatch"
            style={{ width: 20, height: 20, borderRadius: 4, background: `var(--${name})` }}
          />
          <Text size="xs">{name}</Text>
        </Group>
      ))}
    </Group>
  )
}
