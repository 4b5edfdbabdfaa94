import bash from 'refractor/bash'
import c from 'refractor/c'
import cpp from 'refractor/cpp'
import csharp from 'refractor/csharp'
import css from 'refractor/css'
import diff from 'refractor/diff'
import docker from 'refractor/docker'
import go from 'refractor/go'
import ini from 'refractor/ini'
import java from 'refractor/java'
import json from 'refractor/json'
import kotlin from 'refractor/kotlin'
import lua from 'refractor/lua'
import markup from 'refractor/markup'
import php from 'refractor/php'
import python from 'refractor/python'
import ruby from 'refractor/ruby'
import rust from 'refractor/rust'
import sql from 'refractor/sql'
import swift from 'refractor/swift'
import toml from 'refractor/toml'
import tsx from 'refractor/tsx'
import yaml from 'refractor/yaml'
import { refractor } from 'refractor/core'

/** Text, or a part of code of one kind: the names of CSS classes. */
export type Token = string | { kind: string; children: readonly Token[] }

// JavaScript, TypeScript and JSX come with TSX, HTML and XML are markup.
for (const syntax of [bash, c, cpp, csharp, css, diff, docker, go, ini, java, json, kotlin, lua, markup, php])
  refractor.register(syntax)
for (const syntax of [python, ruby, rust, sql, swift, toml, tsx, yaml]) refractor.register(syntax)
refractor.alias({ bash: ['console', 'sh', 'zsh'], ini: ['conf', 'env'], rust: ['rs'], tsx: ['mjs', 'mts'] })

/** Parts above which drawing takes longer than a reader would not notice. */
const MAX_PARTS = 2_000

/** Splits code into parts to colour. Code in an unknown language, or with too many parts, is one part. */
export function highlight(language: string, text: string): readonly Token[] {
  const name = language.toLowerCase()
  if (!refractor.registered(name)) return [text]
  const tokens = refractor.highlight(text, name).children.map(tokenOf)
  return countParts(tokens) > MAX_PARTS ? [text] : tokens
}

const countParts = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, token) => sum + 1 + (typeof token === 'string' ? 0 : countParts(token.children)), 0)

type Node = ReturnType<typeof refractor.highlight>['children'][number]

function tokenOf(node: Node): Token {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  const { className } = node.properties
  return { kind: Array.isArray(className) ? className.join(' ') : '', children: node.children.map(tokenOf) }
}
