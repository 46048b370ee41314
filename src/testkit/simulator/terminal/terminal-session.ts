/** State of one session of a simulated device: its level, mode and context, and the effect of each line. */
import type { PlatformPlugin, PrivilegeLevel, Question } from "../../../plugin/platform.ts";
import { type Device, escapeRegExp, type TerminalSession } from "../device.ts";
import type { Reaction } from "../reaction.ts";
import { createTwinLines, missingAnswer } from "../twin/twin-session.ts";
import type { Change } from "./configuration-history.ts";
import { createModes, createTwinModes } from "./modes.ts";
import { applyPipes } from "./pipes.ts";
import type { ThinkingKind } from "./thinking.ts";
import { createUndoCommands } from "./undo-commands.ts";
import { withVlans } from "./vlans.ts";

const nothing: Reaction = { output: "" };
const pagingWords = /(length|paging|pager|more|screen-length|page|cli screen|terminal width)/i;

export function createTerminalSession(device: Device): TerminalSession {
  const { platform, secret, twin } = device.options;
  const { simulated = {} } = platform;
  const twinLines = twin === undefined ? undefined : createTwinLines(device, twin, waitingLines);
  const modes = twinLines === undefined ? createModes(platform) : createTwinModes(platform, twinLines.cursor);
  const read = createReader(device);
  const menus = device.menus?.session();
  const shells = new Map<string, Shell>();
  let level = simulated.lands ?? landing(platform.levels) ?? platform.home;
  let paged = platform.pager !== undefined;
  const { own } = platform.candidate ?? {};
  /** Of a shared one the lines outlive their session. */
  let candidate: Change[] = own === true ? [] : device.kept.shared;
  /** The last line, with its blanks. */
  let asTyped = "";
  /** Replaces the host name in the prompt while a context is selected. */
  let contextName: string | undefined;
  if (platform.hiddenState) shells.set(level, createShell());

  const ways = createUndoCommands(device, {
    level: () => level,
    enter: () => void move(platform.config ?? level),
    takeCandidate: () => takeCandidate(),
    apply,
    inTurn: (asks, done) => inTurn(asks, "command", done),
  });

  /** Those that wait for a commit; undefined: lines take effect at once. */
  function waitingLines(): Change[] | undefined {
    if (level !== platform.config) return undefined;
    return ways.candidate() ?? (platform.candidate === undefined ? undefined : candidate);
  }

  function takeCandidate(): readonly Change[] {
    twinLines?.discarded();
    return candidate.splice(0);
  }

  const levelOf = (name: string): PrivilegeLevel => platform.levels[name] ?? { prompt: /$/ };

  function move(to: string, output = ""): Reaction {
    const shell = shells.get(level);
    if (shell && !shells.has(to)) shells.set(to, shell.inherit());
    if (level === platform.config) ways.left();
    level = to;
    twinLines?.moved();
    modes.clear();
    return { output };
  }

  function climb(to: string, target: PrivilegeLevel): Reaction {
    if (!target.asks || secret === "") return move(to);
    const password = (tries: number): Reaction => ({
      output: "",
      asks: {
        text: simulated.asks ?? "Password: ",
        hidden: true,
        answered: (reply) => ({
          ...(reply === secret
            ? move(to)
            : tries > 1
              ? password(tries - 1)
              : { output: simulated.denied ?? "% Access denied" }),
          about: "password",
        }),
      },
    });
    return password(3);
  }

  function change(line: string): Reaction | undefined {
    for (const [name, target] of Object.entries(platform.levels)) {
      if (target.from === level && target.enter === line) return opened(name, target, own === true);
      if (target.from === level && name === platform.config && line === own)
        return opened(name, target, true);
    }
    const here = levelOf(level);
    // Leaves one mode, even if the same word also leaves the configuration.
    if (modes.leave(line)) return nothing;
    if (here.leave === line && here.from !== undefined) return leave(here.from);
    if (line === "exit" || line === "quit") {
      return level === platform.config && here.from !== undefined
        ? leave(here.from)
        : { output: "", closes: true };
    }
    return choose(line);
  }

  function opened(name: string, target: PrivilegeLevel, isOwn: boolean): Reaction {
    if (name === platform.config) candidate = isOwn ? [] : device.kept.shared;
    return climb(name, target);
  }

  /** The prompt shows another name for a context. */
  function choose(line: string): Reaction | undefined {
    for (const { enter, name, leave: left } of simulated.contexts ?? []) {
      const match = enter.exec(line);
      if (match === null && !left.test(line)) continue;
      contextName = match === null ? undefined : name.replace("$1", () => match[1] ?? "");
      return nothing;
    }
    return undefined;
  }

  function leave(to: string): Reaction {
    shells.delete(level);
    if (level !== platform.config) return move(to);
    const trial = ways.leaving(() => move(to));
    if (trial !== undefined) return trial;
    const asked = candidate.length > 0 ? levelOf(level).leaveQuestions : undefined;
    return ask(asked, "command", () => {
      if (candidate !== device.kept.shared) takeCandidate();
      return move(to);
    });
  }

  /** Asks, in order, the questions whose wording is known. */
  function ask(
    questions: readonly Question[] | undefined,
    about: ThinkingKind,
    done: () => Reaction,
  ): Reaction {
    const asks = (questions ?? []).flatMap(({ example, newline }) =>
      example === undefined ? [] : [{ text: example, ...(newline === false ? { key: true as const } : {}) }],
    );
    return inTurn(asks, about, done);
  }

  function inTurn(
    [first, ...others]: readonly { readonly text: string; readonly key?: true }[],
    about: ThinkingKind,
    done: () => Reaction,
  ): Reaction {
    if (first === undefined) return { ...done(), about };
    return {
      output: "",
      about,
      asks: {
        text: first.text,
        hidden: false,
        key: first.key === true,
        answered: () => inTurn(others, about, done),
      },
    };
  }

  function configure(line: string): Reaction {
    if (twinLines !== undefined) return twinLines.configure(line, asTyped);
    if (/^(bogus|invalid)\b/.test(line) || device.options.system?.refuses?.test(line))
      return { output: device.refusal, about: "line" };
    if (menus !== undefined) {
      const told = menus.take(line) ?? { output: device.refusal, about: "line" };
      if (told.output === "") device.hostname = device.rename?.exec(line)?.[1] ?? device.hostname;
      return told;
    }
    // The host name applies to the whole device, in whichever mode the line is typed.
    if (device.rename?.test(line)) modes.clear();
    const path = modes.path();
    const opens = modes.enter(line);
    const change = { path: opens ? modes.path().slice(0, -1) : path, line };
    const waiting = waitingLines();
    if (waiting !== undefined) waiting.push(change);
    else apply(change);
    return { output: "", about: "line" };
  }

  function apply({ path, line }: Change): void {
    device.hostname = device.rename?.exec(line)?.[1] ?? device.hostname;
    device.configuration.add(path, line);
  }

  function keep(line: string): Reaction | undefined {
    const saving = platform.save?.find((step) => step.send === line);
    if (saving) {
      return ask(saving.questions, "save", () => {
        device.startup = device.configuration.lines();
        return { output: simulated.saved ?? "[OK]" };
      });
    }
    if (!platform.candidate || level !== platform.config) return undefined;
    const { commit, commitComment, confirm, discard, diff } = platform.candidate;
    if (line === diff)
      return {
        output: twinLines?.difference() ?? candidate.map((change) => `+ ${change.line}`).join("\n"),
      };
    const commits = [...commit, ...(commitComment ?? []), ...(confirm ?? [])];
    const committing = commits.find((step) => sameCommand(step.send, line));
    if (committing) {
      return ask(committing.questions, "commit", () => {
        for (const change of takeCandidate()) apply(change);
        return { output: simulated.committed ?? "commit complete" };
      });
    }
    const discarding = discard.find((step) => step.send === line);
    if (discarding) {
      return ask(discarding.questions, "command", () => {
        takeCandidate();
        return nothing;
      });
    }
    return undefined;
  }

  /** Systems without a configuration level accept configuration lines at the command prompt. */
  function takesLines(): boolean {
    return level === (platform.config ?? platform.home) || platform.inPlace?.includes(level) === true;
  }

  function prepares(line: string): boolean {
    return (platform.prepare ?? []).includes(line) || platform.prepareAt?.commands.includes(line) === true;
  }

  function run(line: string): Reaction {
    const system = level === platform.config ? undefined : device.system?.run(line);
    const done = system ?? ways.run(line) ?? change(line) ?? keep(line);
    if (done) return done;
    const dialogue = simulated.dialogues?.find((scripted) => scripted.line.test(line));
    if (dialogue) return inTurn(dialogue.asks, "command", () => ({ output: dialogue.says ?? "" }));
    const shellAnswer = shells.get(level)?.run(line);
    if (shellAnswer !== undefined) return { output: shellAnswer };
    return takesLines() && !read.asks(line, level === platform.config)
      ? configure(line)
      : { output: read.answer(line, level === platform.config) };
  }

  return {
    greet: () => ask(platform.login, "login", () => nothing),
    prompt() {
      const base = levelOf(level).example ?? "R1#";
      const name = (contextName ?? "R1").replace("R1", () => device.hostname);
      const width = level === platform.config ? simulated.nameWidth : undefined;
      const mode = modes.prompt(base).replace("(config", (text) => text + ways.mark());
      const shown = mode.replace("R1", () => name.slice(0, width));
      const menu = menus?.menu() ?? "";
      if (menu !== "") return shown.replace(/\] > $/, `] ${menu}> `);
      const shell = shells.get(level);
      return shell === undefined ? shown : shown.replace(":~", () => `:${shell.directory()}`);
    },
    paged: () => paged,
    closed: ways.closed,
    enter(typed) {
      const line = typed.trim();
      asTyped = typed.trimEnd();
      if (line === "") return nothing;
      if (prepares(line)) {
        if (pagingWords.test(line)) paged = false;
        return nothing;
      }
      const reading = takesLines() || platform.hiddenState ? readsOn(platform, line, run) : undefined;
      return reading ?? run(line);
    },
  };
}

/** `commit comment {comment}` matches any comment. */
function sameCommand(pattern: string, line: string): boolean {
  const parts = pattern.split(/\{\w+\}/).map(escapeRegExp);
  return new RegExp(`^${parts.join(".+")}$`).test(line);
}

/** Where a login lands: the lowest level, as on most devices. */
function landing(levels: Readonly<Record<string, PrivilegeLevel>>): string | undefined {
  return Object.entries(levels).find(([, level]) => level.from === undefined)?.[0];
}

/** Answers the show commands of a simulated device: a known answer with filters applied, or a refusal. */
interface Reader {
  /** Whether the line is a show command; in configuration mode, only if the system accepts it there. */
  asks(line: string, configuring: boolean): boolean;
  answer(line: string, configuring: boolean): string;
}

const asksToSee = /^(show|display|get|info|list|print|do)\b/;
const running = /^(?:show|display) (?:running-config(?:uration)?|current-configuration|configuration)$/;
const saved = /^(?:show startup-config|show startup-configuration|display saved-configuration)$/;
const writable = ["show running-config", "show startup-config", "display current-configuration"];

/** How texts of configurations end. */
const endMarks = ["end", "return", ": end"] as const;

function createReader(device: Device): Reader {
  const { platform, answers, shows = {}, twin } = device.options;
  const { pipes } = platform.simulated ?? {};
  /** Whether commands may be abbreviated. */
  const abbreviates = pipes !== undefined;
  const commands = [...answers.keys(), ...Object.keys(shows), ...writable];

  function whole(command: string): string {
    if (!abbreviates || answers.has(command) || Object.hasOwn(shows, command)) return command;
    const words = command.split(/\s+/);
    const fitting = commands.filter((candidate) => {
      const full = candidate.split(" ");
      return full.length === words.length && full.every((word, at) => word.startsWith(words[at] ?? " "));
    });
    return fitting.length === 1 ? (fitting[0] ?? command) : command;
  }

  /** With the mark by which the platform says that this is all. */
  function shown(lines: readonly string[]): string {
    const last = lines.at(-1) ?? "";
    const { complete } = platform.running ?? {};
    const end = complete instanceof RegExp || complete === "braces" ? complete : complete?.running;
    if (!(end instanceof RegExp) || end.test(last)) return lines.join("\n");
    const mark = endMarks.find((mark) => end.test(mark) || end.test(`${last}\n${mark}`));
    return [...lines, ...(mark === undefined ? [] : [mark])].join("\n");
  }

  const isExport = (command: string) =>
    platform.running?.shape === "menus" && /^\/export(?: (?:terse|compact|show-sensitive))*$/.test(command);

  function content(command: string): string | undefined {
    if (isExport(command)) return device.configuration.lines().join("\n");
    if (Object.hasOwn(shows, command)) return shows[command]?.(device.configuration.lines());
    const text = answers.get(command);
    if (text !== undefined) {
      const named = text.replaceAll("{hostname}", () => device.hostname);
      if (/^show vlan\b/.test(command)) return withVlans(named, device.configuration.lines());
      return command === "show version" ? (device.system?.version(named) ?? named) : named;
    }
    if (twin !== undefined) {
      if (command === platform.running?.set) return twin.commands()?.trimEnd();
      if (command === platform.running?.show) return shown(device.configuration.lines());
      if (command === platform.running?.startup) return device.startup && shown(device.startup);
    }
    if (running.test(command)) return shown(device.configuration.lines());
    if (saved.test(command)) return device.startup && shown(device.startup);
    return undefined;
  }

  return {
    // IOS requires `do` before a show command in configuration mode; others accept the command alone.
    asks: (line, configuring) =>
      (asksToSee.test(line) || (!configuring && (answers.has(line) || isExport(line)))) &&
      !(configuring && pipes === undefined && !/^(?:show|display|do)\b/.test(line)),
    answer(line, configuring) {
      const does = /^do (.+)$/.exec(line)?.[1];
      if (does !== undefined && !configuring) return device.refusal;
      if (configuring && does === undefined && pipes === "ios") return device.refusal;
      const parts = applyPipes(does ?? line, pipes);
      const text = parts === undefined ? undefined : content(whole(parts.command));
      if (text !== undefined && parts !== undefined) return parts.filter(text);
      return twin === undefined ? device.refusal : missingAnswer(device);
    },
  };
}

/** State of a shell between commands: its directory, its variables, its umask. */
interface Shell {
  /** Returns the output; undefined if the line is not a builtin of the shell. */
  run(line: string): string | undefined;
  /** As the prompt shows it. */
  directory(): string;
  /** A shell started from this one. */
  inherit(): Shell;
}

interface State {
  directory: string;
  umask: string;
  readonly variables: Map<string, string>;
}

const home = "/home/user";

function createShell(state: State = { directory: home, umask: "0022", variables: new Map() }): Shell {
  const { variables } = state;

  function changeTo(where: string): string {
    const parts = where.startsWith("/") ? [] : state.directory.split("/");
    const path = where === "~" ? home.split("/") : [...parts, ...where.split("/")];
    const kept: string[] = [];
    for (const part of path) {
      if (part === "..") kept.pop();
      else if (part !== "" && part !== ".") kept.push(part);
    }
    state.directory = `/${kept.join("/")}`;
    return "";
  }

  return {
    run(line) {
      const [word = "", argument = ""] = line.split(/\s+/, 2);
      if (word === "cd") return changeTo(argument === "" ? "~" : argument);
      if (word === "pwd") return state.directory;
      if (word === "umask") {
        if (argument === "") return state.umask;
        state.umask = argument.padStart(4, "0");
        return "";
      }
      const set = /^(?:export\s+)?([A-Za-z_]\w*)=(\S*)$/.exec(line);
      if (set?.[1] !== undefined) {
        variables.set(set[1], set[2] ?? "");
        return "";
      }
      if (word === "unset") {
        variables.delete(argument);
        return "";
      }
      if (word !== "echo") return undefined;
      return line.slice(5).replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables.get(name) ?? "");
    },
    directory: () => (state.directory === home ? "~" : state.directory),
    inherit: () => createShell({ ...state, variables: new Map(variables) }),
  };
}

// Lines after which a simulated device reads on: the text of a block, or the rest of an unfinished line.

/**
 * @param done takes the line with its text once the text has ended
 * @returns undefined if the line is complete
 */
function readsOn(
  platform: PlatformPlugin,
  line: string,
  done: (text: string) => Reaction,
): Reaction | undefined {
  const secondary = secondaryOf(platform);
  const ends = endOf(platform, line);
  if (ends !== undefined)
    return next(line, ends.says, platform.continues === undefined ? "" : secondary(line));
  const isOver = (text: string) => !isUnfinished(text, platform);
  return platform.continues === undefined || isOver(line) ? undefined : next(line, "", secondary(line));

  function next(text: string, says: string, asks: string): Reaction {
    const answered = (reply: string): Reaction => {
      const whole = `${text}\n${reply}`;
      const over = ends === undefined ? isOver(whole) : ends.test(reply);
      return over ? done(whole) : next(whole, "", ends === undefined ? secondary(whole) : asks);
    };
    return { output: says, asks: { text: asks, hidden: false, answered } };
  }
}

interface End {
  readonly says: string;
  test(line: string): boolean;
}

function endOf({ blocks = [] }: PlatformPlugin, line: string): End | undefined {
  for (const { start, end, says = "" } of blocks) {
    const match = start.exec(line);
    if (match === null) continue;
    const sign = match[1] ?? "";
    if (end === undefined && line.slice(match.index + match[0].length).includes(sign)) return undefined;
    return {
      says: says.replace("$1", () => sign),
      test: (text) => (end === undefined ? text.includes(sign) : end.test(text)),
    };
  }
  return undefined;
}

/** The first wording that the platform knows as a prompt for the rest of a line. */
function secondaryOf({ continues }: PlatformPlugin): (text: string) => string {
  return (text) => {
    const sign = text.endsWith("\\") ? "\\" : isOdd(text, /(?<!\\)"/g) ? '"' : "{";
    return [`${sign}... `, "> "].find((wording) => continues?.exec(wording)?.[0] === wording) ?? "> ";
  };
}

function isUnfinished(text: string, { hiddenState }: PlatformPlugin): boolean {
  if (text.endsWith("\\") || isOdd(text, /(?<!\\)"/g)) return true;
  if (hiddenState !== true) return count(text, /\{/g) > count(text, /\}/g);
  const document = /<<-?\s*(['"]?)(\w+)\1/.exec(text)?.[2];
  if (document !== undefined) return !text.split("\n").slice(1).includes(document);
  return isOdd(text.replace(/"[^"]*"/g, ""), /'/g);
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const isOdd = (text: string, pattern: RegExp) => count(text, pattern) % 2 === 1;
