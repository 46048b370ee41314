/** A stateful IOS router: running and startup configuration, flash, archive, a timer, and a Tcl shell. */
import { type CliServer, md5Of, type Shell, startCliServer, type TypedLine } from "../cli-server.ts";

export interface Router extends CliServer {
  readonly running: string[];
  readonly startup: string[];
  /** Files on flash, by name. */
  readonly flash: Map<string, string>;
  freeBytes: number;
  scp: boolean;
  tcl: boolean;
  archive: boolean;
  compares: boolean;
  /** The pending commit. */
  pending: { readonly user: string; readonly minutes: number; readonly before: string[] } | undefined;
  /** Expires the timer of the pending commit. */
  expire(): void;
  /** Resets to the initial state for the next test. */
  reset(): void;
}

const invalid = "                    ^\n% Invalid input detected at '^' marker.\n";
const nameOf = (path: string) => path.replace(/^flash:\/?/, "");
const noFile = (path: string) => `%Error opening ${path} (No such file or directory)`;

export async function startRouter(): Promise<Router> {
  const state = freshState();
  const server = await startCliServer({
    login: () => shellOf(state),
    receive(path, content) {
      if (!state.scp) return "scp: not enabled";
      state.flash.set(nameOf(path), content.toString());
      return undefined;
    },
  });
  return Object.assign(state, server, {
    expire() {
      if (state.pending !== undefined) become(state, state.pending.before);
      state.pending = undefined;
    },
    reset() {
      Object.assign(state, freshState());
      server.typed.length = 0;
    },
  });
}

type State = Omit<Router, keyof CliServer | "expire" | "reset">;

function freshState(): State {
  const running = [
    "hostname R1",
    "ip scp server enable",
    "interface Loopback0",
    "interface Loopback0\n description old",
  ];
  return {
    running,
    startup: [...running],
    flash: new Map<string, string>(),
    freeBytes: 1_000_000,
    scp: true,
    tcl: true,
    archive: true,
    compares: true,
    pending: undefined,
  };
}

function become(state: State, lines: readonly string[]): void {
  state.running.splice(0, state.running.length, ...lines);
}

/** Each line with its section. */
function unitsOf(text: string): string[] {
  let section = "";
  return text.split("\n").flatMap((line) => {
    if (/^\s*(?:!|end\s*$|$)/.test(line)) return [];
    if (!line.startsWith(" ")) section = line;
    return [line.startsWith(" ") ? `${section}\n${line}` : line];
  });
}

const lastLine = (unit: string) => unit.split("\n").at(-1) ?? unit;
const textOf = (units: readonly string[]) => `!\n${units.map(lastLine).join("\n")}\nend\n`;

function merge(state: State, text: string): string {
  const said: string[] = [];
  for (const unit of unitsOf(text)) {
    const line = lastLine(unit);
    const [, kept] = /^\s*no (.*)$/.exec(line) ?? [];
    if (line.includes("bogus")) said.push(line, invalid);
    else if (kept !== undefined)
      become(
        state,
        state.running.filter((one) => !lastLine(one).trim().startsWith(kept)),
      );
    else if (line.startsWith("hostname ")) state.running[0] = line;
    else if (!state.running.includes(unit)) state.running.push(unit);
  }
  return [...said, `${text.length} bytes copied in 0.5 secs`].join("\n");
}

function shellOf(state: State): Shell {
  let mode: "exec" | "config" | "tcl" = "exec";
  let open: { name: string; content: string } | undefined;
  const host = () => lastLine(state.running[0] ?? "").replace("hostname ", "");

  function tcl(line: string): string {
    const [, name] = /^set patchbay \[open "([^"]+)" w\]$/.exec(line) ?? [];
    const [, part] = /^puts -nonewline \$patchbay "(.*)"$/.exec(line) ?? [];
    if (line === "tclquit") mode = "exec";
    else if (name !== undefined) open = { name: nameOf(name), content: "" };
    else if (part !== undefined && open !== undefined) {
      open.content += part.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
    } else if (line === "close $patchbay" && open !== undefined) {
      state.flash.set(open.name, Buffer.from(open.content, "latin1").toString());
    } else if (!line.startsWith("fconfigure")) return `invalid command name "${line}"`;
    return "";
  }

  async function exec(line: TypedLine): Promise<string> {
    const { text } = line;
    if (text === "tclsh" && state.tcl) mode = "tcl";
    else if (/^configure terminal/.test(text)) {
      mode = "config";
      const minutes = /revert timer (\d+)/.exec(text)?.[1];
      if (minutes !== undefined)
        state.pending = { user: "admin", minutes: Number(minutes), before: [...state.running] };
    } else
      return (
        files(line, state) ??
        archive(text, state) ??
        (await copies(line, state)) ??
        shows(text, state) ??
        invalid
      );
    return "";
  }

  return {
    prompt: () => `${host()}${mode === "tcl" ? "(tcl)" : mode === "config" ? "(config)" : ""}#`,
    async enter(line) {
      if (line.text === "") return "";
      if (mode === "tcl") return tcl(line.text);
      if (mode === "exec") return exec(line);
      if (line.text === "end" || line.text === "exit") mode = "exec";
      else merge(state, line.text);
      return "";
    },
  };
}

function files({ text }: TypedLine, state: State): string | undefined {
  const [verb, one = "", two = ""] = text.split(" ");
  const content = state.flash.get(nameOf(text.split(" ").at(-1) ?? ""));
  if (verb === "dir") {
    const is = one === "" || one === "flash:" || content !== undefined;
    return is ? `Directory of flash:/\n\n1000 bytes total (${state.freeBytes} bytes free)` : noFile(one);
  }
  if (verb === "verify")
    return content === undefined ? noFile(two) : `.Done!\nverify /md5 (${two}) = ${md5Of(content)}`;
  if (verb === "delete") return state.flash.delete(nameOf(two)) ? "" : noFile(two);
  return undefined;
}

async function copies({ text, ask }: TypedLine, state: State): Promise<string | undefined> {
  const [verb, from = "", to = ""] = text.split(" ");
  if (verb === "write") {
    state.startup.splice(0, state.startup.length, ...state.running);
    return "Building configuration...\n[OK]";
  }
  if (verb !== "copy" && verb !== "rename") return undefined;
  await ask(`Destination filename [${nameOf(to)}]? `);
  const content = from === "running-config" ? textOf(state.running) : state.flash.get(nameOf(from));
  if (content === undefined) return noFile(from);
  if (to === "running-config") return merge(state, content);
  if (content.length > state.freeBytes) return `%Error copying ${to} (No space left on device)`;
  state.flash.set(nameOf(to), content);
  if (verb === "rename") state.flash.delete(nameOf(from));
  return verb === "copy" ? `\n${content.length} bytes copied in 0.5 secs` : "";
}

function archive(text: string, state: State): string | undefined {
  const { pending } = state;
  const extended = /^configure revert timer (\d+)$/.exec(text)?.[1];
  if (extended !== undefined) {
    if (pending === undefined) return "%No Rollback Confirmed Change pending";
    state.pending = { ...pending, minutes: Number(extended) };
    return "";
  }
  if (text === "configure confirm" || text === "configure revert now") {
    if (pending === undefined) return "%No Rollback Confirmed Change pending";
    if (text === "configure revert now") become(state, pending.before);
    state.pending = undefined;
    return "";
  }
  const [, name, suffix = ""] = /^configure replace (\S+) force(.*)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const content = state.flash.get(nameOf(name));
  if (content === undefined) return noFile(name);
  const units = unitsOf(content);
  const bad = units.find((unit) => unit.includes("bogus"));
  if (bad !== undefined) {
    const restored = suffix.includes("trigger error");
    if (!restored) become(state, [...state.running, "interface Half"]);
    const end = restored ? "The original configuration has been successfully restored." : "";
    return `The rollback configlet from the last pass is listed below:\n!List of Rollback Commands:\n${lastLine(bad)}\nend\n\nRollback aborted after 5 passes\n${end}`;
  }
  const minutes = /timer (\d+)/.exec(suffix)?.[1];
  if (minutes !== undefined)
    state.pending = { user: "admin", minutes: Number(minutes), before: [...state.running] };
  become(state, units);
  return "\nTotal number of passes: 1\nRollback Done";
}

function shows(text: string, state: State): string | undefined {
  const { pending } = state;
  if (/^terminal /.test(text)) return "";
  if (text === "show archive") {
    return state.archive
      ? "The maximum archive configurations allowed is 10."
      : "Archive feature not enabled";
  }
  if (text === "show archive config rollback timer") {
    if (pending === undefined) return "No Rollback Confirmed Change pending";
    return `Time configured(or reconfigured): 10:00:00 UTC Mon Jan 1 2024\nTimer type: absolute timer\nTimer value: ${pending.minutes} min\nUser: ${pending.user}`;
  }
  if (text === "show clock") return "*10:01:00.123 UTC Mon Jan 1 2024";
  if (text.startsWith("show running-config | include"))
    return state.running.includes("ip scp server enable") ? "ip scp server enable" : "";
  if (text === "show running-config") return textOf(state.running);
  const [, how, name] =
    /^show archive config (differences|incremental-diffs) (?:system:\/running-config )?(\S+)/.exec(text) ??
    [];
  if (how === undefined || name === undefined) return undefined;
  if (!state.compares && how === "incremental-diffs") return invalid;
  const units = unitsOf(state.flash.get(nameOf(name)) ?? "");
  const added = units.filter((unit) => !state.running.includes(unit));
  if (how === "incremental-diffs") {
    const lines = added.map(lastLine).join("\n");
    return `!List of Commands:\n${lines === "" ? "" : `${lines}\n`}end${lines === "" ? "\n!No changes were found" : ""}`;
  }
  const removedUnits = state.running.filter((unit) => !units.includes(unit));
  const lines = [
    ...added.map((unit) => `+${lastLine(unit)}`),
    ...removedUnits.map((unit) => `-${lastLine(unit)}`),
  ];
  return `!Contextual Config Diffs:\n${lines.length === 0 ? "!No changes were found" : lines.join("\n")}`;
}
