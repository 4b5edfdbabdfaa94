/** Place of the contents of files, as ROOMS_FILES and its companions name it. */
export type FileLocation = { readonly folder: string } | S3Location

export interface S3Location {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** Null for AWS. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}
