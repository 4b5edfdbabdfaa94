import { readFileSync } from 'node:fs'

export interface Instruction {
  /** In capitals: RUN, COPY and so on. */
  word: string
  rest: string
}

/** The stages of a Dockerfile, each starting with its `FROM` instruction. */
export function readStages(path: string): Instruction[][] {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (word === 'FROM') stages.push([])
    stages.at(-1)?.push({ word, rest })
  }
  return stages
}

/** The arguments of the only instruction of its kind in a stage. */
export function only(stage: readonly Instruction[], word: string): string {
  const instructions = stage.filter((each) => each.word === word)
  if (instructions.length !== 1) throw new Error(`${word} stands ${instructions.length} times in this stage`)
  return instructions[0]?.rest ?? ''
}

/** Parses the exec form (a JSON array), which runs without a shell. */
export function words(rest: string): string[] {
  return JSON.parse(/\[.*\]$/.exec(rest)?.[0] ?? '') as string[]
}

/** Parses `NAME=value …`. */
export function pairs(rest: string): Record<string, string> {
  return Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('=') as [string, string]))
}
