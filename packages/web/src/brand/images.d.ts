declare module '*.png' {
  const path: string
  export default path
}
declare module '*.svg' {
  const text: string
  export default text
}
declare module '*.woff2' {
  const path: string
  export default path
}
