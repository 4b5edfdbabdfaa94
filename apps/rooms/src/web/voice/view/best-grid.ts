/** Pixels between two tiles. */
export const GAP = 8
/** Pixels below which tiles do not shrink. They scroll then. */
const MIN_HEIGHT = 64
/** Pixels of tiles that scroll, unless their area is lower. */
const SCROLLING_HEIGHT = 96
/** Width by height. Between these, a picture loses little of its sides. */
const MAX_RATIO = 16 / 9
const MIN_RATIO = 3 / 4

export interface Area {
  width: number
  height: number
}

export interface Grid extends Area {
  columns: number
}

/** The columns in which pictures of this many tiles are largest in an area, and the size of a tile. */
export function bestGrid(count: number, area: Area): Grid {
  // Phones that are held upright have cameras that are, too.
  const ratio = area.width > area.height ? MAX_RATIO : 1
  const pictureHeight = ({ width, height }: Area) => Math.min(height, width / ratio)
  let best: Grid = { columns: 1, width: 0, height: 0 }
  for (let columns = 1; columns <= count; columns++) {
    const grid = gridOf(columns, Math.ceil(count / columns), area)
    if (pictureHeight(grid) > pictureHeight(best)) best = grid
  }
  return best.height < MIN_HEIGHT ? scrollingGrid(area) : best
}

function gridOf(columns: number, rows: number, area: Area): Grid {
  const width = (area.width - GAP * (columns - 1)) / columns
  const height = (area.height - GAP * (rows - 1)) / rows
  return {
    columns,
    width: Math.floor(Math.min(width, height * MAX_RATIO)),
    height: Math.floor(Math.min(height, width / MIN_RATIO)),
  }
}

function scrollingGrid({ width, height: available }: Area): Grid {
  const height = Math.max(MIN_HEIGHT, Math.min(SCROLLING_HEIGHT, available))
  const columns = Math.max(1, Math.floor((width + GAP) / (height * MAX_RATIO + GAP)))
  return { columns, width: Math.floor((width + GAP) / columns - GAP), height }
}
