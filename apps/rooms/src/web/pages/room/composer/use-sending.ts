import { type RefObject, useEffect, useState } from 'react'
import type { FileProblem } from './composer-help.tsx'
import type { ComposerFiles } from './use-files.ts'

interface Options {
  field: RefObject<HTMLTextAreaElement | null>
  files: ComposerFiles
  /** The message can be sent once its files are uploaded and the page has entered the room. */
  isReady: boolean
  isIn: boolean
  post: () => void
}

/**
 * Sends at once, or when the last file is uploaded and the page has entered the room, unless the text
 * was changed meanwhile. A file that could not be uploaded prevents it.
 */
export function useSending({ files: { isUploading, hasFailed }, isReady, isIn, field, post }: Options) {
  /** The text that is sent once the page has entered the room. */
  const [waitingText, setWaitingText] = useState<string>()
  const [problem, setProblem] = useState<FileProblem>()
  useEffect(() => {
    if (problem === 'failed' && !hasFailed) setProblem(undefined)
    if (problem !== 'uploading' || isUploading) return
    setProblem(hasFailed ? 'failed' : undefined)
    if (!hasFailed && isReady) post()
  }, [isUploading, hasFailed])
  const send = () => {
    if (!isReady) return
    if (!isIn) setWaitingText(field.current?.value)
    else if (isUploading) setProblem('uploading')
    else if (hasFailed) setProblem('failed')
    else post()
  }
  useEffect(() => {
    if (!isIn) return
    setWaitingText(undefined)
    if (waitingText !== undefined && waitingText === field.current?.value) send()
  }, [isIn])
  return {
    problem,
    send: () => {
      field.current?.focus()
      send()
    },
  }
}
