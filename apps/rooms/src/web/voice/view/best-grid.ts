/** Pixels between two tiles. */
export const GAP = 8
/** Pixels below which tiles do not shrink. They scroll then. */
const MIN_HEIGHT = 64
/** Pixels of tiles that scroll, unless their area is lower. */
const SCROLLING_HEIGHT = 96
/** Tiles in a row above the words, and the pixels below which their width makes a second row. */
const MAX_COLUMNS = 5
const MIN_WIDTH = 88
/** Pixels of height that upright tiles above the words have at most. */
const MAX_UPRIGHT = 160
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

/** Share of a picture's height that larger tiles may cost. */
const TOLERANCE = 0.9

/**
 * The columns in which pictures of this many tiles are largest in an area, and the size of a tile.
 * Of columns that differ little, those that leave the least of the area empty.
 */
export function bestGrid(count: number, area: Area): Grid {
  // Phones that are held upright have cameras that are, too.
  const ratio = area.width > area.height ? MAX_RATIO : 1
  const pictureHeight = ({ width, height }: Area) => Math.min(height, width / ratio)
  let best: Grid = { columns: 1, width: 0, height: 0 }
  for (let columns = 1; columns <= count; columns++) {
    const grid = gridOf(columns, Math.ceil(count / columns), area)
    const gain = pictureHeight(grid) / pictureHeight(best)
    if (gain * TOLERANCE > 1 || (gain > TOLERANCE && areaOf(grid) > areaOf(best))) best = grid
  }
  return best.height < MIN_HEIGHT ? scrollingGrid(area) : best
}

/**
 * Columns of tiles above the words, and the height that all of them need: one row, until its tiles
 * would be too narrow.
 */
export function rowsOf(count: number, width: number): { columns: number; height: number } {
  const perRow = Math.max(1, Math.min(MAX_COLUMNS, Math.floor((width + GAP) / (MIN_WIDTH + GAP))))
  const rows = Math.ceil(count / perRow)
  const columns = Math.ceil(count / rows)
  const tileWidth = (width + GAP) / columns - GAP
  const tileHeight = Math.max(tileWidth / MAX_RATIO, Math.min(tileWidth / MIN_RATIO, MAX_UPRIGHT))
  return { columns, height: Math.ceil(rows * (tileHeight + GAP) - GAP) }
}

/** Tiles in this many columns, as large as their area permits. */
export function gridInColumns(count: number, columns: number, area: Area): Grid {
  const grid = gridOf(columns, Math.ceil(count / columns), area)
  return grid.height < MIN_HEIGHT ? scrollingGrid(area, columns) : grid
}

const areaOf = ({ width, height }: Area) => width * height

function gridOf(columns: number, rows: number, area: Area): Grid {
  const width = (area.width - GAP * (columns - 1)) / columns
  const height = (area.height - GAP * (rows - 1)) / rows
  return {
    columns,
    width: Math.floor(Math.min(width, height * MAX_RATIO)),
    height: Math.floor(Math.min(height, width / MIN_RATIO)),
  }
}

function scrollingGrid({ width, height: available }: Area, fixedColumns?: number): Grid {
  const height = Math.max(MIN_HEIGHT, Math.min(SCROLLING_HEIGHT, available))
  const columns = fixedColumns ?? Math.max(1, Math.floor((width + GAP) / (height * MAX_RATIO + GAP)))
  return { columns, width: Math.floor((width + GAP) / columns - GAP), height }
}
