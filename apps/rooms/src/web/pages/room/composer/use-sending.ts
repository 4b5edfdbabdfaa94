import { type RefObject, useEffect, useState } from 'react'
import type { FileProblem } from './composer-help.tsx'
import type { ComposerFiles } from './use-files.ts'

interface Options {
  field: RefObject<HTMLTextAreaElement | null>
  files: ComposerFiles
  /** The message can be sent once its files are uploaded. */
  isReady: boolean
  post: () => void
}

/** Sends at once, or when the last file is uploaded. A file that could not be uploaded prevents it. */
export function useSending({ files: { isUploading, hasFailed }, isReady, field, post }: Options) {
  const [problem, setProblem] = useState<FileProblem>()
  useEffect(() => {
    if (problem === 'failed' && !hasFailed) setProblem(undefined)
    if (problem !== 'uploading' || isUploading) return
    setProblem(hasFailed ? 'failed' : undefined)
    if (!hasFailed && isReady) post()
  }, [isUploading, hasFailed])
  return {
    problem,
    send: () => {
      field.current?.focus()
      if (!isReady) return
      if (isUploading) setProblem('uploading')
      else if (hasFailed) setProblem('failed')
      else post()
    },
  }
}
