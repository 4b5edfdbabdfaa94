import { join } from 'node:path'
import { examplesIn } from '../../../../sdks/testing/examples.ts'
import { ROOT, type Page, type Step, readPage } from './page.ts'
import { Terminal } from './terminal.ts'

const PYTHON = process.env['LATCHKEY_TEST_PYTHON_TOOLS'] ?? ''

/** Does what a page tells its reader to do, from top to bottom. Returns the first thing that is not so, or nothing. */
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
  else if (step.kind === 'interrupt') await terminal.interrupt()
  else if (step.kind === 'file') terminal.write(step.name, step.text)
  else if (step.kind === 'page') await followIn(terminal, readPage(step.path))
  else await runProgram(terminal, step)
}

/** What its comments behind `console.log(…)` or `print(…)` say is what it must print. */
async function runProgram(terminal: Terminal, step: Extract<Step, { kind: 'program' }>): Promise<void> {
  const { language, line, code } = step
  if (language === 'python' && PYTHON === '') return
  const [name, text] =
    language === 'ts'
      ? ['example.ts', 'bun example.ts']
      : [
          'example.py',
          `PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${join(ROOT, 'sdks/python/src')} ${PYTHON} example.py`,
        ]
  terminal.write(name, code)
  const prints = examplesIn(`\`\`\`${language}\n${code}\`\`\`\n`, language).flatMap(
    (example) => example.prints,
  )
  await terminal.run({ line, text, prints: prints.join('\n') })
}
