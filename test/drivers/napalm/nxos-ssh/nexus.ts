/** A stateful NX-OS switch with a CLI: running and startup configuration, checkpoints on bootflash. */
import { type CliServer, md5Of, type Shell, startCliServer, type TypedLine } from "../cli-server.ts";

export interface Nexus extends CliServer {
  running: string[];
  startup: string[];
  /** Files on bootflash, by name. */
  files: Map<string, string>;
  /** The rollback is refused. */
  stuck: boolean;
  /** Resets to the initial state for the next test. */
  reset(): void;
}

type State = Omit<Nexus, keyof CliServer | "reset">;

const invalid = "            ^\n% Invalid command at '^' marker.";
const nameOf = (path: string) => path.replace(/^bootflash:/, "");
const noFile = (path: string) => `No such file or directory (bootflash:/${nameOf(path)})`;
const contentOf = (units: readonly string[]) =>
  `!Command: Checkpoint cmd vdc 1\n\n${units.map(lastLine).join("\n")}\n`;
const lastLine = (unit: string) => unit.split("\n").at(-1) ?? unit;

/** Each line with its section. */
function unitsOf(content: string): string[] {
  let section = "";
  return content.split("\n").flatMap((line) => {
    if (/^\s*(?:!|$)/.test(line)) return [];
    if (!line.startsWith(" ")) section = line;
    return [line.startsWith(" ") ? `${section}\n${line}` : line];
  });
}

function freshState(): State {
  const running = ["hostname sw1", "interface Ethernet1/1", "interface Ethernet1/1\n  description old"];
  return { running, startup: [...running], files: new Map(), stuck: false };
}

export async function startNexus(): Promise<Nexus> {
  const state = freshState();
  const server = await startCliServer({
    login: () => shellOf(state),
    receive(path, content) {
      state.files.set(nameOf(path), content.toString());
      return undefined;
    },
  });
  return Object.assign(state, server, {
    reset() {
      Object.assign(state, freshState());
      server.typed.length = 0;
    },
  });
}

function shellOf(state: State): Shell {
  let section: string | undefined;
  let configures = false;
  let quiet = false;
  const host = () => lastLine(state.running[0] ?? "").replace("hostname ", "");

  function configure(line: string): string {
    if (line === "end" || line === "exit") {
      configures = false;
      return "";
    }
    if (line.includes("bogus")) return invalid;
    const [, kept] = /^\s*no (.*)$/.exec(line) ?? [];
    const below = line.startsWith(" ") && section !== undefined;
    const unit = below ? `${section}\n${line}` : line;
    if (!line.startsWith(" ")) section = line;
    if (kept !== undefined)
      state.running = state.running.filter((one) => !lastLine(one).trim().startsWith(kept));
    else if (line.startsWith("hostname ")) state.running[0] = line;
    else if (!state.running.includes(unit)) state.running.push(unit);
    return "";
  }

  return {
    prompt: () => `${host()}${configures ? "(config)" : ""}# `,
    async enter(line) {
      const { text } = line;
      if (text === "") return "";
      if (configures) return configure(text);
      if (text === "configure terminal") {
        configures = true;
        section = undefined;
        return "Enter configuration commands, one per line. End with CNTL/Z.";
      }
      if (/terminal dont-ask$/.test(text)) {
        quiet = !text.startsWith("no ");
        return "";
      }
      return checkpoints(text, state) ?? (await files(line, quiet, state)) ?? shows(text, state) ?? invalid;
    },
  };
}

function checkpoints(text: string, state: State): string | undefined {
  const [, kept] = /^checkpoint file (\S+)$/.exec(text) ?? [];
  if (kept !== undefined) {
    state.files.set(nameOf(kept), contentOf(state.running));
    return "Done";
  }
  const [, from] = /^rollback running-config file (\S+) atomic$/.exec(text) ?? [];
  if (from !== undefined) {
    const content = state.files.get(nameOf(from));
    if (content === undefined) return noFile(from);
    if (state.stuck || content.includes("bogus"))
      return "Collecting Running-Config\nExecuting Rollback Patch\nRollback failed.";
    state.running = unitsOf(content);
    return "Collecting Running-Config\n#Generating Rollback Patch\nExecuting Rollback Patch\nRollback completed successfully.";
  }
  const [, one, , other] = /^show diff rollback-patch file (\S+) (file )?(\S+)$/.exec(text) ?? [];
  if (one === undefined || other === undefined) return undefined;
  const before = unitsOf(state.files.get(nameOf(one)) ?? "");
  const after = other === "running-config" ? state.running : unitsOf(state.files.get(nameOf(other)) ?? "");
  const removedUnits = before
    .filter((unit) => !after.includes(unit))
    .map((unit) => `no ${lastLine(unit).trim()}`);
  const patch = [...removedUnits, ...after.filter((unit) => !before.includes(unit)).map(lastLine)].join("\n");
  return `Collecting Running-Config\n#Generating Rollback Patch\n${patch === "" ? "Rollback Patch is Empty" : `!!\n${patch}`}`;
}

async function files({ text, ask }: TypedLine, quiet: boolean, state: State): Promise<string | undefined> {
  const [verb, one = "", two = ""] = text.split(" ");
  const content = state.files.get(nameOf(one));
  if (verb === "dir")
    return content === undefined ? noFile(one) : `  ${content.length}  Nov 22 11:00:00 2026  ${nameOf(one)}`;
  if (verb === "delete") {
    if (!quiet && (await ask(`Do you want to delete "/${nameOf(one)}" ? (yes/no/abort)   [y] `)) !== "yes")
      return "";
    return state.files.delete(nameOf(one)) ? "" : noFile(one);
  }
  if (verb === "move") {
    if (content === undefined) return noFile(one);
    state.files.delete(nameOf(one));
    state.files.set(nameOf(two), content);
    return "";
  }
  const [, hashed] = /^show file (\S+) md5sum$/.exec(text) ?? [];
  return hashed === undefined ? undefined : md5Of(state.files.get(nameOf(hashed)) ?? "");
}

function shows(text: string, state: State): string | undefined {
  if (/^terminal /.test(text)) return "";
  if (/^show running-config/.test(text))
    return `!Command: show running-config\n\n${state.running.map(lastLine).join("\n")}`;
  if (text !== "copy running-config startup-config") return undefined;
  state.startup = [...state.running];
  return "[########################################] 100%\nCopy complete, now saving to disk (please wait)...\nCopy complete.";
}
