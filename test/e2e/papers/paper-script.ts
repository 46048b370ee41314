/** Runs the shell blocks of a paper as one script, as written but for ports and folders of the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { freePort } from "../../../src/testkit/port.ts";
import { tempFolder } from "../../../src/testkit/service.ts";

export interface ScriptRun {
  readonly out: string;
  readonly errors: string;
  /** What `set -e` would have seen: the exit code of the shell. */
  readonly code: number | null;
  /** Ports of the script on which something still listens. */
  readonly left: readonly number[];
}

export function shellBlocks(page: string): string[] {
  return [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

export interface ScriptOptions {
  /** Whether the script ends with the first command that fails. */
  readonly strict: boolean;
  /** In place of the source that `npx -y bun run` starts for each command, with the same arguments. */
  readonly program?: string | undefined;
}

export async function runScript(text: string, { strict, program }: ScriptOptions): Promise<ScriptRun> {
  const folder = tempFolder();
  for (const name of [
    "package.json",
    "scripts",
    "src",
    "plugins",
    "migrations",
    "node_modules",
    "tsconfig.json",
  ])
    symlinkSync(resolve(name), join(folder, name));
  const commands = program === undefined ? [] : [commandsOf(program, join(folder, "bin"))];
  const port = await freePort();
  const [first, second] = await twoPorts();
  const ports = new Map([
    ["9000", port],
    ["2222", first],
    ["2223", second],
  ]);
  // In one pass: the port that takes the place of one may have the digits of another in it.
  const script = text.replaceAll(/\b(?:(?<=localhost:)9000|2222|2223)\b/g, (one) => String(ports.get(one)));
  const shell = spawn("bash", ["-c", strict ? `set -eo pipefail\n${script}` : script], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: [...commands, process.env.PATH].join(delimiter),
      HOME: folder,
      PATCHBAY_DATA_DIR: join(folder, "data"),
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
    },
  });
  process.once("exit", () => endGroup(shell));
  let out = "";
  let errors = "";
  shell.stdout.on("data", (chunk) => (out += String(chunk)));
  shell.stderr.on("data", (chunk) => (errors += String(chunk)));
  // A script that failed has left its service behind, which would keep the pipes open.
  const exited = once(shell, "exit").then(([code]) => {
    if (code !== 0) endGroup(shell);
    return typeof code === "number" ? code : null;
  });
  // Emitted only when all processes that the shell started have ended: its last command stops them.
  await once(shell, "close");
  const left = await Promise.all(
    [...ports.values()].map(async (one) => ((await listensOn(one)) ? [one] : [])),
  );
  return { out, errors, code: await exited, left: left.flat() };
}

/** @returns a folder with an `npx` that runs the program as the scripts of package.json do */
function commandsOf(program: string, folder: string): string {
  mkdirSync(folder);
  const script = `#!/bin/sh
[ "$1 $2 $3" = "-y bun run" ] || { echo "no such command: npx $*" >&2; exit 2; }
shift 3
[ "$1" = --silent ] && shift
what=$1
shift
case $what in
  start) exec ${program} serve "$@" ;;
  demo) exec ${program} demo "$@" ;;
  patchbay) exec ${program} "$@" ;;
esac
echo "no such script: $what" >&2
exit 2
`;
  writeFileSync(join(folder, "npx"), script, { mode: 0o755 });
  return folder;
}

/** Processes started by the script would outlive the test. */
function endGroup(shell: ChildProcess): void {
  try {
    if (shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
  } catch {
    // Nothing was left running.
  }
}

/** One after the other, as `simulate --count` needs them. */
async function twoPorts(): Promise<[number, number]> {
  for (;;) {
    const first = await freePort();
    if (first < 65_535 && !(await listensOn(first + 1))) return [first, first + 1];
  }
}

async function listensOn(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const answers = await new Promise<boolean>((done) => {
    socket.once("connect", () => done(true)).once("error", () => done(false));
  });
  socket.destroy();
  return answers;
}
