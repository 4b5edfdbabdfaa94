import { expect, test } from 'bun:test'
import { zonesByRegion } from './zones.ts'

const valuesOf = (stored: string | null) => {
  const { others, regions } = zonesByRegion(stored)
  return [...others, ...regions.flatMap(({ zones }) => zones.map(({ value }) => value))]
}

test('time zones are listed by region, once each and by city, and UTC comes first', () => {
  const { others, regions } = zonesByRegion(null)
  expect(others).toEqual(['UTC'])
  expect(regions.map(({ region }) => region)).toContain('Pacific')
  const america = regions.find(({ region }) => region === 'America')?.zones ?? []
  expect(america).toContainEqual({
    value: 'America/Argentina/Buenos_Aires',
    label: 'Buenos Aires, Argentina',
  })
  expect(america.map(({ label }) => label)).toEqual(america.map(({ label }) => label).toSorted())
  expect(new Set(valuesOf(null)).size).toBe(valuesOf(null).length)
})

test('the stored time zone is in the list under its own name', () => {
  const listed = valuesOf(null)
  for (const stored of [
    'Europe/Kiev',
    'Europe/Kyiv',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'US/Pacific',
    'CET',
    'UTC',
  ])
    expect(valuesOf(stored).filter((value) => value === stored)).toEqual([stored])
  expect(listed).not.toContain('US/Pacific')
})
