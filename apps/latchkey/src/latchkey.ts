#!/usr/bin/env bun
import { runCommandLine } from './cli.ts'

const code = await runCommandLine(process.argv.slice(2))
// Output that could not be written has set it meanwhile.
process.exitCode ||= code

// A service that could not start leaves threads behind, which would keep the process; output may still be on its way.
if (code !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
