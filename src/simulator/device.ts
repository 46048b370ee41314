/** How a simulated device behaves: its levels, its configuration, its refusals, made from a platform's definition. */
import type { PlatformPlugin, PrivilegeLevel, Question } from "../plugin/platform.ts";
import { type Answers, refusalOf } from "./answers.ts";
import type { ThinkingKind } from "./thinking.ts";

export interface DeviceOptions {
  readonly platform: PlatformPlugin;
  readonly hostname: string;
  readonly secret: string;
  readonly answers: Answers;
}

/** What all sessions of a device share. */
export interface Device {
  readonly options: DeviceOptions;
  hostname: string;
  /** Configuration in force, and the saved one. */
  running: string[];
  startup: string[];
  readonly refusal: string;
}

export function createDevice(options: DeviceOptions): Device {
  const first = [`hostname ${options.hostname}`];
  return {
    options,
    hostname: options.hostname,
    running: first,
    startup: [...first],
    refusal: refusalOf(options.platform),
  };
}

/** What the device does after a line: what it prints, and what it waits for next. */
export interface Reaction {
  readonly output: string;
  /** What the device has to think about before it answers; default: a command. */
  readonly about?: ThinkingKind;
  /** Shown in place of the prompt; what is typed next goes to `answered`, unseen when it is a password. */
  readonly asks?: Asked;
  readonly closes?: true;
}

export interface Asked {
  readonly text: string;
  readonly hidden: boolean;
  /** One key answers it, without a line end. */
  readonly key?: boolean;
  answered(reply: string): Reaction;
}

export interface Seat {
  /** What is asked between the login and the first prompt. */
  greet(): Reaction;
  prompt(): string;
  /** Whether long outputs are shown page by page. */
  paged(): boolean;
  enter(line: string): Reaction;
}

const asksToSee = /^(show|display|get|info|list|print)\b/;
/** Where a prompt of the configuration shows a context: `(config)`, `(Config)`, `(config-system)`. */
const contextual = /\((config)[^()\n]*\)/i;
const nothing: Reaction = { output: "" };
const pagingWords = /(length|paging|pager|more|screen-length|page|cli screen|terminal width)/i;

/** One session's view of the device: at which level it stands. */
export function createSeat(device: Device): Seat {
  const { platform, secret, answers } = device.options;
  let level = landing(platform);
  let paged = platform.pager !== undefined;
  let candidate: string[] = [];
  let context = "";
  const rename = renamePattern(platform.simulated?.rename);

  const levelOf = (name: string): PrivilegeLevel => platform.levels[name] ?? { prompt: /$/ };

  function move(to: string, output = ""): Reaction {
    level = to;
    context = "";
    return { output };
  }

  function climb(to: string, target: PrivilegeLevel): Reaction {
    if (!target.asks || secret === "") return move(to);
    const password = (tries: number): Reaction => ({
      output: "",
      asks: {
        text: platform.simulated?.asks ?? "Password: ",
        hidden: true,
        answered: (reply) => ({
          ...(reply === secret
            ? move(to)
            : tries > 1
              ? password(tries - 1)
              : { output: platform.simulated?.denied ?? "% Access denied" }),
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
    // Up by one context, even where the same word leaves the configuration.
    if (context !== "" && (line === "exit" || line === "quit")) {
      context = "";
      return nothing;
    }
    if (here.leave === line && here.from !== undefined) return leave(here.from);
    if (line === "exit" || line === "quit") {
      return level === platform.config && here.from !== undefined
        ? leave(here.from)
        : { output: "", closes: true };
    }
    return undefined;
  }

  function leave(to: string): Reaction {
    if (level !== platform.config) return move(to);
    const asked = candidate.length > 0 ? levelOf(level).leaveQuestions : undefined;
    return ask(asked, "command", () => {
      candidate = [];
      return move(to);
    });
  }

  /** Those questions of which we know how the device words them, one after the other. */
  function ask(
    questions: readonly Question[] | undefined,
    about: ThinkingKind,
    done: () => Reaction,
  ): Reaction {
    const [first, ...others] = (questions ?? []).filter((one) => one.example !== undefined);
    if (first?.example === undefined) return { ...done(), about };
    return {
      output: "",
      about,
      asks: {
        text: first.example,
        hidden: false,
        key: first.newline === false,
        answered: () => ask(others, about, done),
      },
    };
  }

  function configure(line: string): Reaction {
    if (/^(bogus|invalid)\b/.test(line)) return { output: device.refusal, about: "line" };
    const renamed = rename?.exec(line);
    if (renamed?.[1]) device.hostname = renamed[1];
    if (/^(interface|router|vlan)\b/.test(line) && contextual.test(levelOf(level).example ?? ""))
      context = "if";
    if (platform.candidate) candidate.push(line);
    else device.running.push(line);
    return { output: "", about: "line" };
  }

  function keep(line: string): Reaction | undefined {
    const saving = platform.save?.find((one) => one.send === line);
    if (saving) {
      return ask(saving.questions, "save", () => {
        device.startup = [...device.running];
        return { output: platform.simulated?.saved ?? "[OK]" };
      });
    }
    if (!platform.candidate || level !== platform.config) return undefined;
    const { commit, commitComment, confirm, discard, diff } = platform.candidate;
    if (line === diff) return { output: candidate.map((one) => `+ ${one}`).join("\n") };
    if (
      [...commit, ...(commitComment ?? []), ...(confirm ?? [])].some((one) => sameCommand(one.send, line))
    ) {
      device.running.push(...candidate);
      candidate = [];
      return { output: platform.simulated?.committed ?? "commit complete", about: "commit" };
    }
    if (discard.some((one) => one.send === line)) {
      candidate = [];
      return nothing;
    }
    return undefined;
  }

  /** Systems without a configuration level take lines where they take commands. */
  function takesLines(): boolean {
    return level === (platform.config ?? platform.home) || platform.inPlace?.includes(level) === true;
  }

  function prepares(line: string): boolean {
    return (platform.prepare ?? []).includes(line) || platform.prepareAt?.commands.includes(line) === true;
  }

  function answer(line: string): Reaction {
    const known = answers.get(line);
    if (known !== undefined) return { output: known.replaceAll("{hostname}", device.hostname) };
    if (/^(show|display) (running-config|current-configuration|configuration)/.test(line)) {
      return { output: device.running.join("\n") };
    }
    if (asksToSee.test(line) && !/\b(bogus|invalid)\b/.test(line))
      return { output: `${line}: nothing to show` };
    return { output: device.refusal };
  }

  return {
    greet: () => ask(platform.login, "login", () => nothing),
    prompt: () => promptText(levelOf(level), device.hostname, context, level === platform.config),
    paged: () => paged,
    enter(typed) {
      const line = typed.trim();
      if (line === "") return nothing;
      if (prepares(line)) {
        if (pagingWords.test(line)) paged = false;
        return nothing;
      }
      const done = change(line) ?? keep(line);
      if (done) return done;
      return takesLines() && !(asksToSee.test(line) && level !== platform.config)
        ? configure(line)
        : answer(line);
    },
  };
}

/** `commit comment {comment}` is what was typed with any comment. */
function sameCommand(pattern: string, line: string): boolean {
  const parts = pattern.split(/\{\w+\}/).map(literal);
  return new RegExp(`^${parts.join(".+")}$`).test(line);
}

/** `hostname {name}` with any name. */
function renamePattern(command: string | null | undefined): RegExp | undefined {
  if (command === null) return undefined;
  const [before = "", after = ""] = (command ?? "hostname {name}").split("{name}").map(literal);
  return new RegExp(`^${before}(\\S+?)${after}$`);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Where a login lands: the lowest level, as most devices do. */
function landing(platform: PlatformPlugin): string {
  if (platform.simulated?.lands !== undefined) return platform.simulated.lands;
  const lowest = Object.entries(platform.levels).find(([, level]) => level.from === undefined)?.[0];
  return lowest ?? platform.home;
}

function promptText(level: PrivilegeLevel, hostname: string, context: string, config: boolean): string {
  const text = (level.example ?? "R1#").replace("R1", hostname);
  return config && context !== "" ? text.replace(contextual, `($1-${context})`) : text;
}
