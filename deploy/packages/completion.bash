# Completes the words of commands, which latchkey --help lists.
_latchkey() {
  local before="  latchkey ${COMP_WORDS[*]:1:COMP_CWORD-1}"
  mapfile -t COMPREPLY < <(compgen -W "$(
    latchkey --help 2>/dev/null | awk -v before="${before% } " 'index($0, before) == 1 {
      split(substr($0, length(before) + 1), words, " ")
      if (words[1] ~ /^[a-z-]+$/) print words[1]
    }'
  )" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -F _latchkey latchkey
