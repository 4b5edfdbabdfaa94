import { deflateSync } from 'node:zlib'
import { type Colours, channels } from './colours.ts'
import type { Drawing } from './drawing.ts'
import { type Path, segmentsOf } from './path.ts'

/** Points of PDF in a pixel of CSS. */
const POINTS = 0.75

/** A page of the size of the code, with shapes only (ISO 32000-1). `width` in pixels. */
export function toPdf(drawing: Drawing, width: number, colours: Colours): Uint8Array<ArrayBuffer> {
  const scale = (width * POINTS) / drawing.width
  const content = drawContent(drawing, scale, colours)
  const box = [drawing.width, drawing.height].map((side) => round(side * scale)).join(' ')
  return assemble([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box}] /Contents 4 0 R /Resources << >> >>`],
    ['', Buffer.from(content)],
  ])
}

type PdfObject = [entries: string, stream?: Buffer]

/** Operators in modules from the upper left corner. */
function drawContent(drawing: Drawing, scale: number, colours: Colours): string {
  const layers = drawing.layers.map(({ fill, path }) => {
    const colour = channels(colours[fill]).map((channel) => round(channel / 255))
    return `${colour.join(' ')} rg ${toOperators(path)} f`
  })
  return [`${scale} 0 0 ${-scale} 0 ${drawing.height * scale} cm`, ...layers].join('\n')
}

function toOperators(path: Path): string {
  const operators: string[] = []
  let [x, y] = [0, 0]
  for (const { command, points } of segmentsOf(path)) {
    const [a = 0, b = 0, c = 0, d = 0] = points
    if (command === 'Z') operators.push('h')
    else if (command === 'Q') {
      // PDF has cubic curves only.
      const controls = [third(x, a), third(y, b), third(c, a), third(d, b)]
      operators.push([...controls, c, d, 'c'].map(round).join(' '))
    } else operators.push([...points, command === 'C' ? 'c' : command.toLowerCase()].map(round).join(' '))
    ;[x = x, y = y] = points.slice(-2)
  }
  return operators.join('\n')
}

/** The control point of a cubic curve that equals a quadratic one. */
function third(from: number, control: number): number {
  return from + ((control - from) * 2) / 3
}

function round(value: number | string): number | string {
  return typeof value === 'string' ? value : Math.round(value * 1000) / 1000
}

function assemble(objects: readonly PdfObject[]): Uint8Array<ArrayBuffer> {
  let length = 0
  const parts: Buffer[] = []
  const add = (part: Buffer | string) => {
    const bytes = Buffer.from(part)
    parts.push(bytes)
    length += bytes.length
  }
  const offsets: number[] = []
  add('%PDF-1.4\n')
  for (const [at, [entries, stream]] of objects.entries()) {
    offsets.push(length)
    add(`${at + 1} 0 obj\n`)
    if (stream) {
      const packed = deflateSync(stream)
      add(`<< ${entries} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`)
      add(packed)
      add('\nendstream')
    } else add(entries)
    add('\nendobj\n')
  }
  const start = length
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`)
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  return new Uint8Array(Buffer.concat(parts))
}
