import { readFile } from 'node:fs/promises'
import { type ReaderOptions, prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import decoder from 'zxing-wasm/reader/zxing_reader.wasm' with { type: 'file' }
import type { Raster } from './styled/raster.ts'

/** A printed code is upright when it is drawn, and dark on light: this is less than phones try. */
const OPTIONS: ReaderOptions = {
  formats: ['QRCode'],
  tryRotate: false,
  tryInvert: false,
  maxNumberOfSymbols: 1,
}

let loading: Promise<unknown> | undefined

/** Whether ZXing, which did not draw the picture, reads this text in it. */
export async function isReadBack(picture: Uint8Array<ArrayBuffer> | Raster, text: string): Promise<boolean> {
  loading ??= loadDecoder()
  await loading
  const input = picture instanceof Uint8Array ? picture : { ...picture, colorSpace: 'srgb' as const }
  const [code] = await readBarcodes(input, OPTIONS)
  return code?.text === text
}

async function loadDecoder(): Promise<void> {
  const file = await readFile(decoder)
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(file).buffer }, fireImmediately: true })
}
