import { expect, test } from 'bun:test'
import { type MediaType, isInline, recognizeType } from './media-type.ts'

/** Bytes from text, one for each character up to U+00FF. */
function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function mp3Frame(): string {
  // MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes.
  return `\xff\xfb\x90\x00${'\0'.repeat(413)}`
}

test('R31.1d, R31.3: types that browsers may display are recognised by their bytes', () => {
  const files: [content: string, type: MediaType][] = [
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
    ['GIF89a\x01\0', 'image/gif'],
    ['GIF87a\x01\0', 'image/gif'],
    ['RIFF\x10\0\0\0WEBPVP8L', 'image/webp'],
    ['\0\0\0\x20ftypavif\0\0\0\0mif1avif', 'image/avif'],
    ['\0\0\0\x20ftypmif1\0\0\0\0mif1avif', 'image/avif'],
    ['\0\0\0\x20ftypheic\0\0\0\0mif1heic', 'image/heic'],
    ['\0\0\0\x20ftypisom\0\0\x02\0isomiso2', 'video/mp4'],
    ['\0\0\0\x18ftypmp42\0\0\0\0', 'video/mp4'],
    ['\0\0\0\x18ftypM4A \0\0\0\0', 'audio/mp4'],
    ['\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm', 'video/webm'],
    ['ID3\x04\0', 'audio/mpeg'],
    [mp3Frame() + mp3Frame(), 'audio/mpeg'],
    ['OggS\0\x02\0\0\x01vorbis', 'audio/ogg'],
    ['OggS\0\x02\0\0\x80theora', 'video/ogg'],
  ]
  for (const [content, type] of files)
    expect([content, recognizeType(bytes(content))]).toEqual([content, type])
})

test('R31.3a: all other files are attachments, SVG, HTML and look-alikes of media included', () => {
  for (const content of [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    '<?xml version="1.0"?><svg/>',
    '<!doctype html><script>alert(1)</script>',
    ' GIF89a<script>',
    '%PDF-1.7',
    'PK\x03\x04',
    'RIFF\x10\0\0\0WAVEfmt ',
    '\x1aE\xdf\xa3\xa3B\x86\x81\x01B\x82\x88matroska',
    '\0\0\0\x14ftypqt  \0\0\0\0',
    mp3Frame(),
    `\xff\xfb\x90\x00 <script>${'x'.repeat(2000)}`,
    '\xff\xfe<\0s\0c\0',
  ]) {
    const type = recognizeType(bytes(content))
    expect([content, type, isInline(type)]).toEqual([content, 'application/octet-stream', false])
  }
  expect(isInline('image/svg+xml')).toBe(false)
  expect(isInline('image/heic')).toBe(false)
})
