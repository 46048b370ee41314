/** Configuration of an EOS switch: running and startup, sessions with commit timers, files on flash. */

export class Refusal extends Error {}

type Lines = readonly string[];

interface Candidate {
  lines: string[];
  state: "pending" | "pendingCommitTimer" | "completed" | "aborted";
  /** The configuration before its commit, restored unless the commit is confirmed. */
  before?: Lines;
  commitBy?: number;
}

export interface SwitchModel {
  running: Lines;
  startup: Lines;
  readonly files: Map<string, Lines>;
  readonly sessions: Map<string, Candidate>;
  /** Lines that it rejects. */
  readonly refuses: RegExp;
  /** Runs a list of commands in its own login. @throws Refusal */
  shell(): (cmd: string, input: string) => unknown;
  /** Since it was booted, as `commitBy` counts. */
  seconds(): number;
  /** Expires the timer of the pending commit. */
  expire(): void;
}

const bootupTimestamp = 1_700_000_000;

export function createModel(lines: Lines = ["hostname sw1", "vlan 10", "   name OLD"]): SwitchModel {
  const model: SwitchModel = {
    running: lines,
    startup: lines,
    files: new Map(),
    sessions: new Map(),
    refuses: /bogus/,
    shell: () => createShell(model),
    seconds: () => Date.now() / 1000 - bootupTimestamp,
    expire() {
      for (const session of model.sessions.values()) undo(session);
    },
  };

  function undo(session: Candidate): void {
    if (session.state !== "pendingCommitTimer") return;
    model.running = session.before ?? model.running;
    session.state = "aborted";
  }

  return model;
}

type Command = readonly [RegExp, (...words: string[]) => unknown];

function createShell(model: SwitchModel): (cmd: string, input: string) => unknown {
  let filling: Candidate | undefined;

  const sessionOf = (name: string): Candidate => {
    const session = model.sessions.get(name);
    if (session === undefined || session.state === "completed" || session.state === "aborted")
      throw new Refusal(`Session ${name} does not exist`);
    return session;
  };
  const fileOf = (path: string): Lines => {
    if (path === "running-config") return model.running;
    if (path === "startup-config") return model.startup;
    const lines = model.files.get(path);
    if (lines === undefined) throw new Refusal(`Error opening ${path} (No such file or directory)`);
    return lines;
  };

  function commit(name: string, timer?: string): string {
    const session = sessionOf(name);
    if (session.state === "pending") {
      if (session.lines.some((line) => /conflict/.test(line))) throw new Refusal("Commit failed: conflict");
      session.before = model.running;
      model.running = session.lines;
    }
    session.state = timer === undefined ? "completed" : "pendingCommitTimer";
    session.commitBy = timer === undefined ? 0 : model.seconds() + secondsOf(timer);
    return "";
  }

  function abort(name: string): string {
    const session = sessionOf(name);
    if (session.state === "pendingCommitTimer") model.running = session.before ?? model.running;
    session.state = "aborted";
    return "";
  }

  const commands: readonly Command[] = [
    [
      /^configure session (\S+)$/,
      (name = "") => {
        filling = model.sessions.get(name) ?? { lines: [...model.running], state: "pending" };
        model.sessions.set(name, filling);
        return "";
      },
    ],
    [/^configure session (\S+) commit$/, (name = "") => commit(name)],
    [/^configure session (\S+) commit timer (\S+)$/, (name = "", timer) => commit(name, timer)],
    [/^configure session (\S+) abort$/, (name = "") => abort(name)],
    [
      /^configure replace (\S+)$/,
      (path = "") => {
        model.running = fileOf(path);
        return "";
      },
    ],
    [
      /^copy (\S+) (\S+)$/,
      (from = "", to = "") => {
        model.files.set(to, fileOf(from));
        return "Copy completed successfully.\n";
      },
    ],
    [
      /^delete (\S+)$/,
      (path = "") => {
        if (!model.files.delete(path))
          throw new Refusal(`Error deleting ${path} (No such file or directory)`);
        return "";
      },
    ],
    [
      /^write memory$/,
      () => {
        model.startup = model.running;
        return "Copy completed successfully.\n";
      },
    ],
    [
      /^show session-config named (\S+) diffs$/,
      (name = "") => diff(name, model.running, sessionOf(name).lines),
    ],
    [/^show running-config$/, () => model.running.join("\n")],
    [/^show startup-config$/, () => model.startup.join("\n")],
    [
      /^show configuration sessions detail$/,
      () => ({
        maxSavedSessions: 1,
        maxOpenSessions: 5,
        sessions: Object.fromEntries(
          [...model.sessions].map(([name, { state, commitBy }]) => [
            name,
            { state, commitUser: "admin", commitBy, instances: {} },
          ]),
        ),
      }),
    ],
    [
      /^show version$/,
      () => ({
        version: "4.31.1F",
        internalVersion: "4.31.1F-1",
        modelName: "cEOSLab",
        serialNumber: "SN1",
        bootupTimestamp,
      }),
    ],
    [/^show hostname$/, () => ({ hostname: "sw1", fqdn: "sw1.test" })],
  ];

  return (cmd, input) => {
    if (filling !== undefined) {
      if (cmd === "end") filling = undefined;
      else if (cmd === "rollback clean-config") filling.lines = [];
      else if (model.refuses.test(cmd))
        throw new Refusal(`Invalid input (at token 0: '${cmd.split(" ")[0]}')`);
      else put(filling, input === "" ? cmd : `${cmd}\n${input}\nEOF`);
      return "";
    }
    for (const [pattern, run] of commands) {
      const found = pattern.exec(cmd);
      if (found !== null) return run(...found.slice(1));
    }
    throw new Refusal(`Invalid input (at token 0: '${cmd.split(" ")[0]}')`);
  };
}

/** `no x` removes lines with that prefix; an existing line is not added again. */
function put(session: Candidate, line: string): void {
  const off = /^no (.*)$/.exec(line)?.[1];
  if (off !== undefined) session.lines = session.lines.filter((one) => !one.trim().startsWith(off));
  else if (!session.lines.includes(line)) session.lines.push(line);
}

function diff(session: string, before: Lines, after: Lines): string {
  const removedLines = before.filter((line) => !after.includes(line)).map((line) => `-${line}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+${line}`);
  const changed = [...removedLines, ...added];
  const head = ["--- system:/running-config", `+++ session:/${session}-session-config`];
  return changed.length === 0 ? "" : `${[...head, ...changed].join("\n")}\n`;
}

function secondsOf(timer: string): number {
  return timer.split(":").reduce((total, part) => total * 60 + Number(part), 0);
}
