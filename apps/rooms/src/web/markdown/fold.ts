import type { Inline } from './inline.ts'
import type { Block } from './parse.ts'

/** Lines above which only the first ones of a message are shown. */
const MAX_LINES = 20
/** Characters that fill a line. */
const LINE_LENGTH = 75

/** The first lines of a message. Undefined if all of it fits into them. */
export function firstLines(blocks: readonly Block[]): readonly Block[] | undefined {
  const fold = new Fold()
  const first = fold.blocks(blocks)
  return fold.isFull ? first : undefined
}

class Fold {
  /** True once something had no place. */
  isFull = false
  /** Lines that are left below the current one. */
  #lines = MAX_LINES
  #column = 0

  blocks(blocks: readonly Block[]): Block[] {
    return this.#each(blocks, (block) => this.#block(block))
  }

  #block(block: Block): Block {
    switch (block.type) {
      case 'paragraph':
        this.#startLine()
        return { ...block, children: this.#inlines(block.children) }
      case 'quote':
        return { ...block, children: this.blocks(block.children) }
      case 'list':
        return { ...block, items: this.#each(block.items, (item) => this.#item(item)) }
      default:
        return { ...block, text: this.#code(block.text) }
    }
  }

  #item(item: readonly Block[]): readonly Block[] {
    if (item.length === 0) this.#startLine()
    return this.blocks(item)
  }

  #code(text: string): string {
    const lines = this.#each(text.split('\n'), (line) => {
      this.#startLine()
      return this.#text(line)
    })
    return lines.join('\n')
  }

  #inlines(inlines: readonly Inline[]): Inline[] {
    return this.#each(inlines, (inline): Inline => {
      switch (inline.type) {
        case 'break':
          this.#startLine()
          return inline
        case 'text':
        case 'code':
          return { ...inline, text: this.#text(inline.text) }
        case 'mention':
        case 'group':
          return inline
        default:
          return { ...inline, children: this.#inlines(inline.children) }
      }
    })
  }

  #startLine(): void {
    if (this.#lines === 0) this.isFull = true
    else this.#lines--
    this.#column = 0
  }

  /** The beginning of a text that fits. */
  #text(text: string): string {
    if (this.isFull) return ''
    const end = this.#column + text.length
    if (end > (this.#lines + 1) * LINE_LENGTH) {
      this.isFull = true
      const space = (this.#lines + 1) * LINE_LENGTH - this.#column
      return `${text.slice(0, space).replace(/[\ud800-\udbff]$/, '')}…`
    }
    this.#lines -= Math.floor(Math.max(0, end - 1) / LINE_LENGTH)
    this.#column = end === 0 ? 0 : ((end - 1) % LINE_LENGTH) + 1
    return text
  }

  /** The parts that fit, the last of them perhaps not as a whole. */
  #each<Part>(parts: readonly Part[], take: (part: Part) => Part): Part[] {
    const fitting: Part[] = []
    for (const part of parts) {
      if (this.isFull) break
      const before = this.#lines
      const shortened = take(part)
      // A line that had no place is not begun.
      if (!this.isFull || before > 0) fitting.push(shortened)
    }
    return fitting
  }
}
