/** How a simulated device behaves: its levels, its configuration, its refusals, made from a platform's definition. */
import type { PlatformPlugin, PrivilegeLevel, Step } from "../plugin/platform.ts";
import { type Answers, refusalOf } from "./answers.ts";

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
  /** Shown in place of the prompt; what is typed next goes to `answered`, unseen when it is a password. */
  readonly asks?: { readonly text: string; readonly hidden: boolean; answered(reply: string): Reaction };
  readonly closes?: true;
}

export interface Seat {
  prompt(): string;
  /** Whether long outputs are shown page by page. */
  paged(): boolean;
  enter(line: string): Reaction;
}

const nothing: Reaction = { output: "" };
const pagingWords = /(length|paging|pager|more|screen-length|page|cli screen|terminal width)/i;

/** One session's view of the device: at which level it stands. */
export function createSeat(device: Device): Seat {
  const { platform, secret, answers } = device.options;
  let level = landing(platform);
  let paged = platform.pager !== undefined;
  let candidate: string[] = [];
  let context = "";

  const levelOf = (name: string): PrivilegeLevel => platform.levels[name] ?? { prompt: /$/ };

  function move(to: string, output = ""): Reaction {
    level = to;
    context = "";
    return { output };
  }

  function climb(to: string, target: PrivilegeLevel): Reaction {
    if (!target.asks || secret === "") return move(to);
    const ask = (tries: number): Reaction => ({
      output: "",
      asks: {
        text: "Password: ",
        hidden: true,
        answered: (reply) =>
          reply === secret ? move(to) : tries > 1 ? ask(tries - 1) : { output: "% Access denied" },
      },
    });
    return ask(3);
  }

  function change(line: string): Reaction | undefined {
    for (const [name, target] of Object.entries(platform.levels)) {
      if (target.from === level && target.enter === line) return climb(name, target);
    }
    const here = levelOf(level);
    if (here.leave === line && here.from !== undefined) return leave(here.from);
    if (line === "exit" || line === "quit") {
      if (context !== "") {
        context = "";
        return nothing;
      }
      return level === platform.config && here.from !== undefined
        ? leave(here.from)
        : { output: "", closes: true };
    }
    return undefined;
  }

  function leave(to: string): Reaction {
    candidate = [];
    return move(to);
  }

  function configure(line: string): Reaction {
    if (/^(bogus|invalid)\b/.test(line)) return { output: device.refusal };
    const renamed = /^(?:hostname|sysname|set system host-name)\s+(\S+)/.exec(line);
    if (renamed?.[1]) device.hostname = renamed[1];
    if (/^(interface|router|vlan)\b/.test(line)) context = "if";
    if (platform.candidate) candidate.push(line);
    else device.running.push(line);
    return nothing;
  }

  /** A step that asks first: the questions of the platform, each answered by anything. */
  function step(one: Step, done: () => string): Reaction {
    const [question] = one.questions ?? [];
    if (!question?.example) return { output: done() };
    return {
      output: "",
      asks: { text: `${question.example} `, hidden: false, answered: () => ({ output: done() }) },
    };
  }

  function keep(line: string): Reaction | undefined {
    const saving = platform.save?.find((one) => one.send === line);
    if (saving) {
      return step(saving, () => {
        device.startup = [...device.running];
        return "Building configuration...\n[OK]";
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
      return { output: "commit complete" };
    }
    if (discard.some((one) => one.send === line)) {
      candidate = [];
      return nothing;
    }
    return undefined;
  }

  function answer(line: string): Reaction {
    if ((platform.prepare ?? []).includes(line) || platform.prepareAt?.commands.includes(line)) {
      if (pagingWords.test(line)) paged = false;
      return nothing;
    }
    const known = answers.get(line);
    if (known !== undefined) return { output: known.replaceAll("{hostname}", device.hostname) };
    if (/^(show|display) (running-config|current-configuration|configuration)/.test(line)) {
      return { output: device.running.join("\n") };
    }
    if (/^(show|display|get|info)\b/.test(line) && !/\b(bogus|invalid)\b/.test(line))
      return { output: `${line}: nothing to show` };
    return { output: device.refusal };
  }

  return {
    prompt: () => promptText(levelOf(level), device.hostname, context, level === platform.config),
    paged: () => paged,
    enter(typed) {
      const line = typed.trim();
      if (line === "") return nothing;
      const done = change(line) ?? keep(line);
      if (done) return done;
      return level === platform.config ? configure(line) : answer(line);
    },
  };
}

/** `commit comment {comment}` is what was typed with any comment. */
function sameCommand(pattern: string, line: string): boolean {
  const parts = pattern.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`).test(line);
}

/** Where a login lands: the lowest level, as most devices do. */
function landing(platform: PlatformPlugin): string {
  const lowest = Object.entries(platform.levels).find(([, level]) => level.from === undefined)?.[0];
  return lowest ?? platform.home;
}

function promptText(level: PrivilegeLevel, hostname: string, context: string, config: boolean): string {
  const text = (level.example ?? "R1#").replace("R1", hostname);
  return config && context !== "" ? text.replace("(config)", `(config-${context})`) : text;
}
