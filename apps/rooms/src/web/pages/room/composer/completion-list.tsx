import { UserAvatar } from '../../../parts/person.tsx'
import { useText } from '../../../texts/text.ts'
import type { Candidate } from './use-candidates.ts'

export const COMPLETION_ID = 'completion'

export const optionId = (candidate: Candidate) => `${COMPLETION_ID}-${candidate.id}`

interface Props {
  candidates: readonly Candidate[]
  chosen: Candidate | undefined
  onChoose: (candidate: Candidate) => void
}

/** What can be completed, above the field, which keeps the focus. */
export function CompletionList({ candidates, chosen, onChoose }: Props) {
  const { t } = useText()
  if (candidates.length === 0) return null
  return (
    <div className="completion" id={COMPLETION_ID} role="listbox" aria-label={t('room.completions')}>
      {candidates.map((candidate) => (
        <div
          key={candidate.id}
          id={optionId(candidate)}
          className="completion-option"
          role="option"
          aria-selected={candidate === chosen}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(candidate)}
        >
          <Sign candidate={candidate} />
          <bdi className="completion-name">{candidate.name}</bdi>
          {candidate.help !== undefined && <span className="completion-help">{candidate.help}</span>}
        </div>
      ))}
    </div>
  )
}

function Sign({ candidate: { sign } }: { candidate: Candidate }) {
  if (sign.type === 'person') return <UserAvatar of={sign.person} size={24} />
  return (
    <span className="completion-sign" aria-hidden>
      {sign.text}
    </span>
  )
}
