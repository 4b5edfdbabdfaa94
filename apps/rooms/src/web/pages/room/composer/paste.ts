import { safeAddress } from '../../../markdown/addresses.ts'

/** Editors name the language of what was copied in them. */
const EDITOR_DATA = 'vscode-editor-data'

/** Several lines of code that were copied in an editor, or in a block of code of a page. */
export function pastedCode(data: DataTransfer): { text: string; language: string } | undefined {
  const text = data.getData('text/plain')
  if (!text.trim().includes('\n') || text.includes('```')) return undefined
  const editor = data.getData(EDITOR_DATA)
  if (editor !== '') return { text, language: languageOf(editor) }
  const isBlock = /^\s*(?:<meta[^>]*>\s*)?<pre[\s>]/i.test(data.getData('text/html'))
  return isBlock ? { text, language: '' } : undefined
}

function languageOf(editorData: string): string {
  try {
    const { mode } = JSON.parse(editorData) as { mode?: unknown }
    return typeof mode === 'string' && /^[\w+#-]+$/.test(mode) && mode !== 'plaintext' ? mode : ''
  } catch {
    return ''
  }
}

/** An address that was copied alone: with a selected text, it makes that a link. */
export function pastedAddress(data: DataTransfer): string | undefined {
  const text = data.getData('text/plain').trim()
  return /\s/.test(text) || safeAddress(text) === undefined ? undefined : text
}

/** The files, unless they are only a picture of a text that was copied from an office program. */
export function pastedFiles(data: DataTransfer): File[] {
  const isText = data.getData('text/html') !== '' && data.getData('text/plain') !== ''
  return isText ? [] : [...data.files]
}
