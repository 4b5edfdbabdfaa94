import type { Finding } from '@latchkey/doctor/finding'
import { plain, printLine } from '../output.ts'
import type { Style } from './style.ts'

/** Prints findings as they come, and keeps what is left to a person. */
export class Report {
  readonly style: Style
  /** Sentences about what is left to a person, or has drifted. */
  readonly left: string[] = []

  constructor(style: Style) {
    this.style = style
  }

  print = (line: string): void => printLine(line)

  printFinding = ({ level, name, sentence }: Finding): void => {
    const colour = { ok: this.style.green, warn: this.style.yellow, fail: this.style.red }[level]
    printLine(`${colour(level.padEnd(4))}  ${name.padEnd(11)}  ${plain(sentence)}`)
  }

  async collect(findings: AsyncIterable<Finding> | Iterable<Finding>): Promise<void> {
    for await (const finding of findings) {
      this.printFinding(finding)
      if (finding.level !== 'ok') this.left.push(`${finding.name}: ${plain(finding.sentence)}`)
    }
  }

  heading = (text: string): void => printLine(`\n${this.style.bold(text)}`)

  /** Prints what is left. Returns the exit code: 2 if there is anything. */
  finish(heading: string, otherwise: string): number {
    if (this.left.length === 0) {
      printLine(`\n${otherwise}`)
      return 0
    }
    this.heading(heading)
    for (const line of this.left) printLine(`  - ${line}`)
    return 2
  }
}
