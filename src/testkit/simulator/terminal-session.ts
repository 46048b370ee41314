/** State of one session of a simulated device: its level, mode and context, and the effect of each line. */
import type { PrivilegeLevel, Question } from "../../plugin/platform.ts";
import { createReader } from "./answering.ts";
import type { Change } from "./configuration-history.ts";
import { type Device, escapeRegExp, type Reaction, type TerminalSession } from "./device.ts";
import { createModes } from "./modes.ts";
import { createShell, type Shell } from "./shell.ts";
import { readsOn } from "./texts.ts";
import type { ThinkingKind } from "./thinking.ts";
import { createUndoCommands } from "./undo-commands.ts";

const nothing: Reaction = { output: "" };
const pagingWords = /(length|paging|pager|more|screen-length|page|cli screen|terminal width)/i;

export function createTerminalSession(device: Device): TerminalSession {
  const { platform, secret } = device.options;
  const { simulated = {} } = platform;
  const modes = createModes(platform);
  const read = createReader(device);
  const shells = new Map<string, Shell>();
  let level = simulated.lands ?? landing(platform.levels) ?? platform.home;
  let paged = platform.pager !== undefined;
  let candidate: Change[] = [];
  /** Replaces the host name in the prompt while a context is selected. */
  let contextName: string | undefined;
  if (platform.hiddenState) shells.set(level, createShell());

  const ways = createUndoCommands(device, {
    level: () => level,
    enter: () => void move(platform.config ?? level),
    takeCandidate: () => candidate.splice(0),
    apply,
    inTurn: (asks, done) => inTurn(asks, "command", done),
  });

  const levelOf = (name: string): PrivilegeLevel => platform.levels[name] ?? { prompt: /$/ };

  function move(to: string, output = ""): Reaction {
    const shell = shells.get(level);
    if (shell && !shells.has(to)) shells.set(to, shell.inherit());
    if (level === platform.config) ways.left();
    level = to;
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
      if (target.from === level && target.enter === line) return climb(name, target);
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
      candidate = [];
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
    if (/^(bogus|invalid)\b/.test(line)) return { output: device.refusal, about: "line" };
    // The host name applies to the whole device, in whichever mode the line is typed.
    if (device.rename?.test(line)) modes.clear();
    const path = modes.path();
    const opens = modes.enter(line);
    const change = { path: opens ? modes.path().slice(0, -1) : path, line };
    const apart = level === platform.config ? ways.candidate() : undefined;
    if (apart !== undefined) apart.push(change);
    else if (platform.candidate && level === platform.config) candidate.push(change);
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
    if (line === diff) return { output: candidate.map((change) => `+ ${change.line}`).join("\n") };
    const commits = [...commit, ...(commitComment ?? []), ...(confirm ?? [])];
    const committing = commits.find((step) => sameCommand(step.send, line));
    if (committing) {
      return ask(committing.questions, "commit", () => {
        for (const change of candidate) apply(change);
        candidate = [];
        return { output: simulated.committed ?? "commit complete" };
      });
    }
    const discarding = discard.find((step) => step.send === line);
    if (discarding) {
      return ask(discarding.questions, "command", () => {
        candidate = [];
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
    const done = ways.run(line) ?? change(line) ?? keep(line);
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
      const shell = shells.get(level);
      return shell === undefined ? shown : shown.replace(":~", () => `:${shell.directory()}`);
    },
    paged: () => paged,
    closed: ways.closed,
    enter(typed) {
      const line = typed.trim();
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
