// The server serves its text.
declare const source: string
export default source
