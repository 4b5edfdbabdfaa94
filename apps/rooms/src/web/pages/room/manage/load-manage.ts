import { addTexts } from '@latchkey/web/texts'
import { groupTexts } from '../../../texts/groups.ts'

/** The drawer in which the room is managed, with its texts. */
export async function loadManage(): Promise<typeof import('./manage-drawer.tsx')> {
  const [drawer] = await Promise.all([import('./manage-drawer.tsx'), addTexts(groupTexts)])
  return drawer
}
