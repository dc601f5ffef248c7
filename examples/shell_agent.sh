#!/bin/sh
# Any program that can run a command remembers: sh examples/shell_agent.sh "I prefer tabs."
set -eu

session="shell-$$-$(date +%s)"

json() { # NAME TEXT, a text of one line
  printf '{"%s": "%s"}' "$1" "$(printf %s "$2" | sed 's/["\\]/\\&/g')"
}

emit() { # KIND, its data on stdin; a daemon that is away never breaks the agent
  memoryd emit "$1" --session "$session" --json - >/dev/null 2>&1 || true
}

memory=$(memoryd recall 2>/dev/null || true) # for the system prompt
for prompt in "$@"; do
  json text "$prompt" | emit user_prompt
  found=$(memoryd recall --query "$prompt" 2>/dev/null || true) # for this prompt

  answer="A model would answer here." # call your model with "$memory", "$found" and "$prompt"

  json last_assistant_message "$answer" | emit turn
  printf '%s\n\n%s\n\n%s\n' "$memory" "$found" "$answer"
done
