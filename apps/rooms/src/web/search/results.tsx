import { Text } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Result } from '../call.ts'
import { IconPaperclip } from '@latchkey/web/icons'
import { LoadMore } from '../parts/load-more.tsx'
import { LoadingOrError } from '../parts/loading-or-error.tsx'
import { useDirects } from '../sidebar/lobby.ts'
import { useText } from '../texts/text.ts'
import { excerpt } from './excerpt.ts'
import { closeSearch } from './open-search.ts'
import type { useResults } from './use-search.ts'

type SearchResult = Result<'searchMessages'>['results'][number]

interface Props extends ReturnType<typeof useResults> {
  /** The results do not name their room. */
  isInRoom: boolean
}

/** The messages that match, or why there are none. */
export function SearchResults({ results, isBlank, isOld, failed, retry, isInRoom, ...next }: Props) {
  const { t } = useText()
  if (isBlank) return <Hint text={t('search.help')} />
  if (failed || !results) return <LoadingOrError error={failed} onRetry={retry} />
  if (results.length === 0) return <Hint title={t('palette.none')} text={t('search.noneHelp')} />
  return (
    <>
      <ResultList results={results} isOld={isOld} isInRoom={isInRoom} />
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </>
  )
}

function Hint({ title, text }: { title?: string; text: string }) {
  return (
    <div className="search-hint">
      {title !== undefined && <Text fw={500}>{title}</Text>}
      <Text c="dimmed" size="sm">
        {text}
      </Text>
    </div>
  )
}

interface ListProps {
  results: readonly SearchResult[]
  isOld: boolean
  isInRoom: boolean
}

/** One tab stop: arrows, Home and End move between the results, and from the first one back to the field. */
function ResultList({ results, isOld, isInRoom }: ListProps) {
  const [activeId, setActiveId] = useState('')
  const tabStop = results.find(({ message }) => message.id === activeId) ?? results[0]
  return (
    <ul className="plain" onKeyDown={moveFocus} data-old={isOld || undefined}>
      {results.map((result) => (
        <li key={result.message.id}>
          <ResultRow
            result={result}
            isInRoom={isInRoom}
            isTabStop={result === tabStop}
            onFocus={() => setActiveId(result.message.id)}
          />
        </li>
      ))}
    </ul>
  )
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-result]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (target === undefined) return
  event.preventDefault()
  if (target < 0) document.querySelector<HTMLElement>('.search-field input')?.focus()
  else links[target]?.focus()
}

interface RowProps {
  result: SearchResult
  isInRoom: boolean
  isTabStop: boolean
  onFocus: () => void
}

function ResultRow({ result: { message, room, marks }, isInRoom, isTabStop, onFocus }: RowProps) {
  const { moment } = useText()
  const direct = useDirects()?.find((listed) => listed.id === room.id)
  const { id, content, mentions, nickname, createdAt, files } = message
  const names = new Map(mentions.map((mention) => [mention.userId, mention.nickname]))
  return (
    <Link
      href={`/rooms/${room.id}?message=${id}`}
      className="search-result"
      data-result
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={closeSearch}
    >
      <span className="byline">
        <bdi className="author">{nickname}</bdi>
        {!isInRoom && <bdi className="search-result-room">{(direct ?? room).name}</bdi>}
        <time dateTime={createdAt}>{moment(createdAt)}</time>
      </span>
      <span className="search-result-text" dir="auto">
        {excerpt({ content: content ?? '', marks, names }).map(({ text, isMarked }, at) =>
          isMarked ? <mark key={at}>{text}</mark> : text,
        )}
      </span>
      {files.length > 0 && (
        <span className="search-result-files">
          <IconPaperclip size={14} aria-hidden /> <bdi>{files.map(({ name }) => name).join(', ')}</bdi>
        </span>
      )}
    </Link>
  )
}
