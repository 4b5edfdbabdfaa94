import { addTexts } from '@latchkey/web/texts'
import { callTexts } from '../../texts/call.ts'
import alertStyles from './alerts.css' with { type: 'text' }
import callStyles from './call.css' with { type: 'text' }
import controlStyles from './controls.css' with { type: 'text' }
import tileStyles from './tile.css' with { type: 'text' }

/** Adds the styles of calls to the page, once. */
function addStyles(): void {
  const element = document.createElement('style')
  element.textContent = callStyles + tileStyles + controlStyles + alertStyles
  document.head.append(element)
}

addStyles()
const added = addTexts(callTexts)

async function loadParts() {
  const [parts] = await Promise.all([import('./parts.ts'), added])
  return parts
}

/** The view of a call, with its texts and styles. */
export const loadCallView = async () => ({ default: (await loadParts()).CallView })

/** The strip on other pages with the link back to a call. */
export const loadCallBar = async () => ({ default: (await loadParts()).CallBar })

/** Calls that wait for an answer. */
export const loadAlertList = async () => ({ default: (await loadParts()).AlertList })

/** The choice of devices before joining. */
export const loadJoinPanel = async () => ({ default: (await loadParts()).JoinPanel })

/** The settings of the calls of a room. */
export async function loadCallFields() {
  const [fields] = await Promise.all([import('./call-fields.tsx'), added])
  return fields
}
