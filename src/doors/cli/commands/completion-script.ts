/** Shells that can complete the command's words. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The scripts that shells read to complete words. The words come from the command itself, `cadre complete`, so that
 * every shell has the same ones and a script does not age.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_cadre() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$found")
  done < <(cadre complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _cadre cadre
`,
  zsh: `#compdef cadre
_cadre() {
  local -a found
  found=(\${(f)"$(cadre complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _cadre cadre
`,
  fish: `function __cadre_complete
  set -l words (commandline -opc) (commandline -ct)
  cadre complete -- $words[2..-1] 2>/dev/null
end
complete -c cadre -n 'test -n "$(__cadre_complete)"' -f -a '(__cadre_complete)'
`,
};
