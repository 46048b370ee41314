/**
 * Scripts run on the server for detached tasks. They are POSIX sh read from stdin, so they work with busybox and do not
 * appear in a process list. Each prints one line that starts with `token`, followed by the output.
 */
import type { Unit } from "./units.ts";

export interface DetachedScript {
  readonly id: string;
  /** Marks the answer line: a shell may print something before it. */
  readonly token: string;
}

export interface DetachedCommands {
  readonly units: readonly Unit[];
  /** Runs a command that is not a script; scripts run with `sh -e`. */
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string | undefined;
  readonly stopOnError: boolean;
}

/** An ended task that no service has removed is deleted when the next one starts there. */
const keptDays = 7;
/** Time for the whole group to end after TERM. */
const obeyS = 10;
const dieS = 5;

const folder = (id: string) => `base="\${XDG_STATE_HOME:-$HOME/.local/state}/patchbay"
dir="$base/${id}"`;

/** Changes with each boot of the server. */
const boot = `boot() {
  { cat /proc/sys/kernel/random/boot_id || sysctl -n kern.boottime || who -b; } 2>/dev/null | tr -d ' \\t\\n'
}`;

/**
 * Records the identity of the process, then runs the files in order. It and its children ignore HUP; TERM is forwarded
 * to the running file and ends the list.
 */
function main({ units, shell, input, stopOnError }: DetachedCommands): string {
  const runs = units.map(({ script }, at) => `run ${script ? '"sh -e"' : shell} "$dir/${at + 1}"`);
  return `dir=$1
${boot}
own() {
  line=$(cat /proc/$$/stat 2>/dev/null) || { echo "$(ps -o pgid= -p $$ 2>/dev/null | tr -d ' ')"; echo; return; }
  set -- \${line##*) }
  echo "$3"
  echo "\${20}"
}
{ echo $$; own; echo "$(boot)"; date +%s; } > "$dir/process.new" && mv "$dir/process.new" "$dir/process"
echo begun >&3
exec 3>&-
cd "$HOME" 2>/dev/null || cd /
over=
status=0
trap 'over=1' TERM INT
run() {
  [ -z "$over" ] || return 0
  $1 "$2" < ${input === undefined ? "/dev/null" : '"$dir/input"'}
  status=$?
  ${stopOnError ? '[ "$status" -eq 0 ] || over=1' : ""}
}
${runs.join("\n")}
echo "$status $(date +%s)" > "$dir/status.new" && mv "$dir/status.new" "$dir/status"
`;
}

export function startScript({ id, token }: DetachedScript, commands: DetachedCommands): string {
  const files = [
    ["main", main(commands)],
    ...commands.units.map(({ text }, at) => [String(at + 1), `${text}\n`]),
    ...(commands.input === undefined ? [] : [["input", commands.input]]),
  ];
  const exports = Object.entries(commands.environment).map(
    ([name, value]) => `${name}=${quoted(value)}; export ${name}`,
  );
  return `umask 077
${folder(id)}
err=$(mkdir -p "$base" 2>&1) && err=$(mkdir "$dir" 2>&1) || { echo "${token} failed $err"; exit; }
for old in "$base"/*/status; do
  [ -z "$(find "$old" -mtime +${keptDays} 2>/dev/null)" ] || rm -rf "\${old%/status}"
done
${files.map(([name, text]) => `printf %s ${quoted(text ?? "")} > "$dir/${name}" || { echo "${token} failed the files could not be written"; rm -rf "$dir"; exit; }`).join("\n")}
${exports.join("\n")}
trap '' HUP
begun=$(
  if command -v setsid >/dev/null 2>&1
  then setsid sh "$dir/main" "$dir" 3>&1 </dev/null >>"$dir/out" 2>&1 &
  else sh "$dir/main" "$dir" 3>&1 </dev/null >>"$dir/out" 2>&1 &
  fi
)
if [ "$begun" = begun ]; then echo "${token} begun"
else echo "${token} failed $(head -n 3 "$dir/out" | tr '\\n' ' ')"; rm -rf "$dir"
fi
exit
`;
}

/** Reads the identity, and sets `state`, `code` and `at`. */
const state = (script: DetachedScript) => `${folder(script.id)}
${boot}
[ -d "$dir" ] || { echo "${script.token} missing"; exit; }
pid= group= since= booted= begun= code= at=
{ read -r pid; read -r group; read -r since; read -r booted; read -r begun; } 2>/dev/null < "$dir/process"
alive() {
  [ -n "$pid" ] || return 1
  if [ -n "$since" ]; then
    line=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
    set -- \${line##*) }
    [ "$1" != Z ] && [ "$1" != X ] && [ "\${20}" = "$since" ]
  else
    kill -0 "$pid" 2>/dev/null
  fi
}
ended() {
  [ -s "$dir/status" ] || return 1
  read -r code at < "$dir/status"
}
look() {
  if ended; then state=ended
  elif [ -n "$booted" ] && [ "$booted" != "$(boot)" ]; then state=rebooted
  elif alive; then state=running
  elif ended; then state=ended
  else state=lost
  fi
  case $state in ended | lost) [ ! -f "$dir/stop" ] || state=stopped ;; esac
}
tell() {
  size=$(wc -c 2>/dev/null < "$dir/out") || size=0
  echo "${script.token} $state \${code:--} \${begun:--} \${at:--} $size"
}
look
`;

export function lookScript(script: DetachedScript, offset: number, maxBytes: number): string {
  return `${state(script)}tell
if [ "$size" -gt ${offset} ]; then tail -c +${offset + 1} "$dir/out" | head -c ${maxBytes}; fi
exit
`;
}

/** If TERM is ignored, kills the whole group, including background children. */
export function stopScript(script: DetachedScript): string {
  return `${state(script)}group() {
  case $group in '' | 0 | 1) kill -"$1" "$pid" ;; *) kill -"$1" -"$group" ;; esac 2>/dev/null
}
await() {
  i=0
  while alive && [ "$i" -lt "$1" ]; do sleep "$nap"; i=$((i + 1)); done
}
if [ "$state" = running ]; then
  if sleep 0.1 2>/dev/null; then nap=0.1 turns=10; else nap=1 turns=1; fi
  : > "$dir/stop"
  group TERM
  await $((${obeyS} * turns))
  group KILL
  await $((${dieS} * turns))
  look
fi
tell
exit
`;
}

export function removeScript({ id, token }: DetachedScript): string {
  return `${folder(id)}
err=$(rm -rf "$dir" 2>&1) || { echo "${token} failed $err"; exit; }
echo "${token} removed"
exit
`;
}

/** Quotes a word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
