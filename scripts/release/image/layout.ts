import { gzipSync } from 'node:zlib'
import { CONFIGURATION } from './configuration.ts'
import type { Architecture } from './debian.ts'
import { type TarEntry, tar } from './tar.ts'

/** The image for one processor architecture. */
export interface PlatformImage {
  architecture: Architecture
  /** The entries of each layer, from the bottom. */
  layers: readonly (readonly TarEntry[])[]
}

/** What the image says about itself (the annotations of the OCI image specification). */
export interface Description {
  title: string
  version: string
  licenses: string
  created: Date
  revision: string | undefined
}

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/**
 * An OCI image layout of the images, as one archive (`oci-archive`), with the digest of their index.
 * `name` is that of the image in its registry. The same input gives the same bytes.
 */
export function layout(
  images: readonly PlatformImage[],
  description: Description,
  name: string,
): { archive: Uint8Array; digest: string } {
  const blobs = new Map<string, Uint8Array>()
  const put = (kind: string, content: Uint8Array): Descriptor => {
    const digest = digestOf(content)
    blobs.set(digest, content)
    return { mediaType: `application/vnd.oci.image.${kind}`, digest, size: content.length }
  }
  const annotations = annotationsOf(description)
  const manifests = images.map((image) => ({
    ...put('manifest.v1+json', manifest(image, description, put)),
    platform: platformOf(image),
  }))
  const index = put('index.v1+json', indexOf(manifests, annotations))
  const names = {
    'org.opencontainers.image.ref.name': description.version,
    // Docker and Podman call a loaded image by this one.
    'io.containerd.image.name': `${name.includes('/') ? '' : 'docker.io/library/'}${name}:${description.version}`,
  }
  const named = { ...index, annotations: names }
  const files = [
    { path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', content: indexOf([named]) },
    ...[...blobs].map(([digest, content]) => ({ path: `blobs/${digest.replace(':', '/')}`, content })),
  ]
  const folders = ['blobs', 'blobs/sha256'].map((path) => ({ path, mode: 0o755 }))
  const archive = tar([...folders, ...files.map((file) => ({ ...file, mode: 0o644 }))])
  return { archive, digest: index.digest }
}

function manifest(
  image: PlatformImage,
  description: Description,
  put: (kind: string, content: Uint8Array) => Descriptor,
): Uint8Array {
  const archives = image.layers.map(tar)
  const layers = archives.map((each) => put('layer.v1.tar+gzip', gzipSync(each)))
  const configuration = {
    ...platformOf(image),
    created: description.created.toISOString(),
    config: { ...CONFIGURATION, Labels: annotationsOf(description) },
    rootfs: { type: 'layers', diff_ids: archives.map(digestOf) },
  }
  const config = put('config.v1+json', json(configuration))
  const annotations = annotationsOf(description)
  return json({
    schemaVersion: 2,
    mediaType: `application/vnd.oci.image.manifest.v1+json`,
    config,
    layers,
    annotations,
  })
}

function platformOf({ architecture }: PlatformImage) {
  return { architecture, os: 'linux', ...(architecture === 'arm64' && { variant: 'v8' }) }
}

function annotationsOf(description: Description): Record<string, string> {
  const values = { ...description, created: description.created.toISOString() }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[`org.opencontainers.image.${name}`, value]],
    ),
  )
}

function indexOf(manifests: readonly Descriptor[], annotations?: Record<string, string>): Uint8Array {
  return json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests,
    annotations,
  })
}

function digestOf(content: Uint8Array): string {
  return `sha256:${new Bun.CryptoHasher('sha256').update(content).digest('hex')}`
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
