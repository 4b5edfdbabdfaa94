import { Text } from '@mantine/core'
import { useText } from '../../texts/text.ts'
import { slugName } from '../../parts/short-url.ts'
import type { LinkControls } from './link-header.tsx'

/** A link may have hundreds of legacy paths. */
const MAX_SHOWN = 10

/** Programs whose name says where a path comes from. */
const PROGRAMS = ['yourls', 'kutt', 'shlink', 'bitly', 'dub', 'shortio', 'shrtnr'] as const

/** The paths of another service that the link answers as well. Renders nothing without any. */
export function LegacyPaths({ link }: Pick<LinkControls, 'link'>) {
  const { t } = useText()
  const { legacy_paths: paths = [], domain } = link
  const rest = paths.length - MAX_SHOWN
  return paths.slice(0, MAX_SHOWN).map(({ path, source }, at) => {
    const program = PROGRAMS.find((each) => each === source)
    const name = slugName({ slug: path, ...(domain !== undefined && { domain }) })
    const text = program
      ? t('link.movedFrom', { path: name, program: t(`transfer.format.${program}`) })
      : t('link.alsoAnswers', { path: name })
    const isLast = at === MAX_SHOWN - 1 && rest > 0
    return (
      <Text key={path} size="sm" c="dimmed" mt={4} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {isLast ? `${text}, ${t('link.moreLegacyPaths', { count: rest })}` : text}
      </Text>
    )
  })
}
