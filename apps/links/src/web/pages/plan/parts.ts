/** Items that a person still reads one after the other. */
const PART_SIZE = 100

/** The items in parts, each with the numbers of its first and its last item. */
export function partsOf<Item>(items: readonly Item[]): { items: Item[]; from: number; to: number }[] {
  return Array.from({ length: Math.ceil(items.length / PART_SIZE) }, (_, index) => {
    const part = items.slice(index * PART_SIZE, (index + 1) * PART_SIZE)
    const from = index * PART_SIZE + 1
    return { items: part, from, to: from + part.length - 1 }
  })
}
