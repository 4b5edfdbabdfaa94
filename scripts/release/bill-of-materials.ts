import { DEBIAN_PACKAGES } from './image/debian.ts'
import { run } from './run.ts'

interface Bill {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string } }
  components: { 'bom-ref': string; properties: { name: string; value: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** npm's mark of a package for development only. */
const DEVELOPMENT = 'cdx:npm:package:development'

/**
 * The CycloneDX bill of materials of the executables and the image: every package of
 * package-lock.json that is not for development only, the runtimes, and the Debian packages of the
 * image. The same source gives the same text.
 */
export async function billOfMaterials(sourceTime: Date): Promise<string> {
  const text = await run([
    'npm',
    'sbom',
    '--package-lock-only',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ])
  const bill = withoutDevelopment(JSON.parse(text) as Bill)
  bill.components.push(...debianComponents())
  // npm takes these from the clock, from random numbers, and from the name of the folder.
  bill.metadata.timestamp = sourceTime.toISOString()
  bill.metadata.component.name = 'latchkey'
  bill.serialNumber = ''
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(bill)).digest('hex')
  bill.serialNumber = `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  return `${JSON.stringify(bill, null, 2)}\n`
}

function debianComponents(): Bill['components'] {
  return DEBIAN_PACKAGES.map(({ name, version }) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}`
    return { 'bom-ref': purl, type: 'library', name, version, purl, properties: [] }
  })
}

/**
 * Removes development packages. `--omit=dev` would also leave out packages that are for development
 * in one place and needed in another.
 */
function withoutDevelopment(bill: Bill): Bill {
  const components = bill.components.filter(({ properties }) =>
    properties.every(({ name }) => name !== DEVELOPMENT),
  )
  const removedRefs = new Set(bill.components.map((each) => each['bom-ref']))
  for (const each of components) removedRefs.delete(each['bom-ref'])
  const dependencies = bill.dependencies
    .filter(({ ref }) => !removedRefs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => !removedRefs.has(each)) }))
  return { ...bill, components, dependencies }
}
