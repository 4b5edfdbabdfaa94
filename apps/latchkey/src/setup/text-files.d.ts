// Files that are imported as texts.
declare module '*.service' {
  const text: string
  export default text
}
declare module '*.socket' {
  const text: string
  export default text
}
declare module '*.sysusers' {
  const text: string
  export default text
}
declare module '*.tmpfiles' {
  const text: string
  export default text
}
