import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@latchkey/web/icons'
import { useCopy } from '@latchkey/web/parts/copy'
import { primarySlug, shortUrl } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import type { LinkRow } from './types.ts'
import { Marked } from './marked.tsx'

/** The slug, never cut. A click copies the short URL. */
export function CopySlug({ link, search }: { link: LinkRow; search: string }) {
  const { t } = useText()
  const { copied, copy } = useCopy()
  const url = shortUrl(link)
  return (
    <>
      <UnstyledButton
        className="copy-slug mono"
        onClick={() => copy(url)}
        title={url}
        aria-label={t('copy.copy', { what: url })}
      >
        <span>
          <span className="copy-slug-slash">{link.domain}/</span>
          <Marked text={primarySlug(link)} search={search} />
        </span>
        {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </UnstyledButton>
      <VisuallyHidden aria-live="polite">{copied && t('copy.copied')}</VisuallyHidden>
    </>
  )
}
