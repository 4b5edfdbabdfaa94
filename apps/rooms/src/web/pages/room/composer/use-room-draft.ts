import { useUserDraft } from '../../../user-draft.ts'
import type { References } from './references.ts'

/** What the user has begun to write in this room, with the references in it. Kept until it is sent. */
export function useRoomDraft(roomId: string) {
  const [text, setText] = useUserDraft(`draft:${roomId}`)
  const [stored, setStored] = useUserDraft(`references:${roomId}`)
  const references = parse(stored)
  return {
    text,
    setText,
    references,
    addReferences: (more: References) => setStored((now) => JSON.stringify({ ...parse(now), ...more })),
    clear: () => {
      setText('')
      setStored('')
    },
    write: (draft: { text: string; references: References }) => {
      setText(draft.text)
      setStored(JSON.stringify(draft.references))
    },
  }
}

const parse = (stored: string): References => (stored === '' ? {} : (JSON.parse(stored) as References))
