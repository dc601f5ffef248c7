#!/bin/bash
# record.sh CLAUDE WORK [SEED]: play script.toml with the released program CLAUDE (its binary), in the new or empty folder WORK.
# Needs root (or a user namespace), tmux, git and a /usr/bin/python3 of 3.11 or newer. No network is reachable meanwhile.
# WORK/home is mounted on /home in a namespace of its own, so the recording holds /home/dev and no path of this machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8
python=/usr/bin/python3
port=8901

# The second half of the script: what runs inside the namespaces, in the terminal of tmux.
if [ "$1" = inside ]; then
    claude=$2 work=$3
    ip link set lo up
    hostname dev
    mount --bind "$work/home" /home
    "$python" "$here/fake_model.py" "$port" "$work/script.toml" "$work/requests.jsonl" 2> "$work/model.err" &
    model=$!
    trap 'kill "$model"' EXIT
    cd /home/dev/lantern
    env -i TERM=xterm-256color LANG=C.UTF-8 HOME=/home/dev USER=dev PATH=/usr/local/bin:/usr/bin:/bin IS_SANDBOX=1 \
        ANTHROPIC_API_KEY="$(cat "$work/key")" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 "$claude" || true
    exit
fi

claude=$(realpath "$1") work=$(realpath "$2") seed=${3:-lantern-1}
home=$work/home/dev
[ ! -e "$home" ] || { echo "$work holds a recording already" >&2; exit 1; }
mkdir -p "$home/.claude" "$home/lantern"
cp "$here/dump_hook.py" "$home/"

secret=$("$python" -c '
import random, string, sys
print("ghp_" + "".join(random.Random(sys.argv[1]).choices(string.ascii_letters + string.digits, k=36)))' "$seed")
echo "secret of seed $seed: $secret"
printf %s "$secret" > "$work/secret"
sed "s/{{secret}}/$secret/" "$here/../script.toml" > "$work/script.toml"
printf 'sk-ant-fake-%048d' 0 > "$work/key"

# The project, a home whose first-run questions are answered, and the hooks.
"$python" - "$work/script.toml" "$home" "$(tail -c 20 "$work/key")" << 'PY'
import json, sys, tomllib
from pathlib import Path
script, home, key = tomllib.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), sys.argv[3]
for file in script["file"]:
    (home / "lantern" / file["path"]).write_text(file["text"].lstrip("\n"))
(home / ".claude.json").write_text(json.dumps({
    "hasCompletedOnboarding": True, "theme": "dark",
    "customApiKeyResponses": {"approved": [key], "rejected": []},
    "projects": {"/home/dev/lantern": {"hasTrustDialogAccepted": True}}}))
hook = {"type": "command", "command": "python3 /home/dev/dump_hook.py /home/dev/hooks.jsonl", "timeout": 10}
events = "SessionStart UserPromptSubmit Stop SubagentStart SubagentStop PreCompact PostCompact SessionEnd StopFailure"
(home / ".claude/settings.json").write_text(json.dumps({
    "permissions": {"allow": ["Bash"], "defaultMode": "default"},
    "hooks": {event: [{"hooks": [hook]}] for event in events.split()}}))
PY
git -C "$home/lantern" init -q -b main

screen() { tmux -L memoryd-record "$@"; }
fired() { grep -c "^{\"event\": \"$1\"" "$home/hooks.jsonl" 2> /dev/null || true; }
await() { # await EVENT COUNT: until the event has fired so often, 30 s at most
    for _ in $(seq 300); do
        [ "$(fired "$1")" = "$2" ] && return
        sleep 0.1
    done
    screen capture-pane -p
    echo "no $1 number $2" >&2
    exit 1
}
type_line() {
    sleep 2
    screen send-keys -l -- "$1"
    sleep 1
    screen send-keys Enter
}

screen -u new-session -d -x 180 -y 50 unshare --net --mount --uts "$here/record.sh" inside "$claude" "$work"
trap 'screen kill-server 2> /dev/null || true' EXIT
await SessionStart 1
sleep 3
n=0
"$python" -c '
import sys, tomllib
script = tomllib.load(open(sys.argv[1], "rb"))
for turn in script["turn"]:
    print(turn["prompt"])
    if turn["n"] == script["compact"]["after_turn"]:
        print("/compact")' "$work/script.toml" > "$work/lines"
while IFS= read -r line <&3; do
    type_line "$line"
    if [ "$line" = /compact ]; then
        await PostCompact 1
        sleep 2
    else
        n=$((n + 1))
        await Stop "$n"
    fi
done 3< "$work/lines"
type_line /exit
await SessionEnd 1
while screen has-session 2> /dev/null; do sleep 0.2; done
"$python" "$here/edit.py" "$work" "$here/.."
