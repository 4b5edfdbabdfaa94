// An identity provider in a process of its own, for the network that the process is in:
// `bun provider-process.ts REGISTRATION`, in JSON. Prints its origin.
import { type Registration, startOidcProvider } from '../../../rooms/test/real/oidc-provider.ts'

const client = JSON.parse(process.argv[2] ?? '') as Registration
const { origin } = await startOidcProvider({ alg: 'RS256', client, claims: { email_verified: true } })
console.log(origin)
