import { clickThrough } from './browser.ts'
import { type Page, type Step, readPage } from './page.ts'
import { Terminal } from './terminal.ts'

/**
 * Follows the instructions of a page from top to bottom. Returns the first difference, or
 * undefined.
 */
export async function follow(page: Page, postgres?: string): Promise<string | undefined> {
  const terminal = await Terminal.open(postgres)
  try {
    await followIn(terminal, page)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await terminal.close()
  }
}

async function followIn(terminal: Terminal, page: Page): Promise<void> {
  for (const step of page.steps) await doStep(terminal, step)
}

async function doStep(terminal: Terminal, step: Step): Promise<void> {
  if (step.kind === 'command') await terminal.run(step.command)
  else if (step.kind === 'background') await terminal.begin(step.command)
  else if (step.kind === 'end') await terminal.end(step.signal)
  else if (step.kind === 'browser') await clickThrough(step.line, terminal.mapPorts(step.text))
  else if (step.kind === 'file') await terminal.write(step.name, step.text)
  else await followIn(terminal, readPage(step.path))
}
