import { Notice } from '../parts/notice.tsx'
import { useText } from '../texts/text.ts'

/** Stands where a page is not written yet. */
export default function Coming() {
  const { say } = useText()
  return <Notice title={say('page.coming')} />
}
