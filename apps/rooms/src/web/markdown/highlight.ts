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

export type Highlighter = (language: string, text: string) => readonly Token[]

// JavaScript, TypeScript and JSX come with TSX, HTML and XML are markup.
for (const syntax of [bash, c, cpp, csharp, css, diff, docker, go, ini, java, json, kotlin, lua, markup, php])
  refractor.register(syntax)
for (const syntax of [python, ruby, rust, sql, swift, toml, tsx, yaml]) refractor.register(syntax)
refractor.alias({ bash: ['console', 'sh', 'zsh'], ini: ['conf', 'env'], rust: ['rs'], tsx: ['mjs', 'mts'] })

/** Splits code into parts to colour. Code in an unknown language is one part. */
export const highlight: Highlighter = (language, text) => {
  const name = language.toLowerCase()
  return refractor.registered(name) ? refractor.highlight(text, name).children.map(tokenOf) : [text]
}

type Node = ReturnType<typeof refractor.highlight>['children'][number]

function tokenOf(node: Node): Token {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  const { className } = node.properties
  return { kind: Array.isArray(className) ? className.join(' ') : '', children: node.children.map(tokenOf) }
}
