import { type Interface, createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandFailure } from '../command.ts'
import type { Style } from './style.ts'

/** Ctrl+C: nothing was written, and the exit code is that of other programs. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Choice {
  readonly value: string
  readonly title: string
}

interface Streams {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** Questions at a terminal, or to whatever is at the other end of a pipe. */
export class Dialogue {
  readonly #output: NodeJS.WriteStream
  readonly #style: Style
  readonly #readline: Interface
  readonly #lines: string[] = []
  #waiting: PromiseWithResolvers<string> | undefined
  #ended: Error | undefined
  #isHidden = false

  constructor({ input, output }: Streams, style: Style) {
    this.#output = output
    this.#style = style
    // What the terminal echoes passes through here, but for secrets.
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isHidden) output.write(chunk)
        done()
      },
    })
    this.#readline = createInterface({ input, output: echo, terminal: input.isTTY })
    this.#readline.on('line', (line) => this.#receive(line))
    this.#readline.on('SIGINT', () => this.#end(new Interrupted()))
    this.#readline.on('close', () =>
      this.#end(new CommandFailure('The input ended before the last answer. Nothing was written')),
    )
  }

  /** Asks for a line. Enter takes the default, which is shown. */
  async ask(question: string, preset = ''): Promise<string> {
    const hint = preset === '' ? '' : ` ${this.#style.dim(`[${preset}]`)}`
    this.#output.write(`${this.#style.bold(question)}${hint}: `)
    return (await this.#line()).trim() || preset
  }

  /** Asks for a choice, by its number or its name. Returns anything else as it is. */
  async choose(question: string, choices: readonly Choice[], preset = ''): Promise<string> {
    const width = String(choices.length).length
    for (const [index, { title }] of choices.entries())
      this.#output.write(`  ${String(index + 1).padStart(width)}  ${title}\n`)
    const answer = await this.ask(`${question}, by number or name`, preset)
    const meant = choices.find(
      ({ value, title }, index) =>
        answer === String(index + 1) || [value, title.toLowerCase()].includes(answer.toLowerCase()),
    )
    return meant?.value ?? answer
  }

  /** Asks for a secret, which is not echoed. */
  async askHidden(question: string): Promise<string> {
    this.#output.write(`${this.#style.bold(question)}: `)
    this.#isHidden = true
    const line = await this.#line().finally(() => (this.#isHidden = false))
    this.#output.write('\n')
    return line.trim()
  }

  async confirm(question: string): Promise<boolean> {
    for (;;) {
      const answer = (await this.ask(`${question} (yes or no)`, 'yes')).toLowerCase()
      if (['y', 'yes'].includes(answer)) return true
      if (['n', 'no'].includes(answer)) return false
    }
  }

  /** `confirm` after everything else: the end of the input is a no. */
  async confirmIfAnswered(question: string): Promise<boolean> {
    return this.confirm(question).catch((error: unknown) => {
      if (error instanceof CommandFailure) return false
      throw error
    })
  }

  close(): void {
    this.#readline.close()
  }

  async #line(): Promise<string> {
    const line = this.#lines.shift()
    if (line !== undefined) return line
    if (this.#ended) throw this.#ended
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  #receive(line: string): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) waiting.resolve(line)
    else this.#lines.push(line)
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#waiting?.reject(this.#ended)
    this.#waiting = undefined
  }
}
