/** The undo commands of a simulated device in one session: save a copy, commit provisionally, confirm, roll back. */
import type { SimulatedWay } from "../../../plugin/simulated.ts";
import type { Device } from "../device.ts";
import type { Reaction } from "../reaction.ts";
import type { Change } from "./configuration-history.ts";

export interface UndoSession {
  level(): string;
  /** Enters the configuration. */
  enter(): void;
  /** Returns and clears the lines that wait for a commit. */
  takeCandidate(): readonly Change[];
  apply(change: Change): void;
  inTurn(asks: readonly { readonly text: string }[], done: () => Reaction): Reaction;
}

export interface UndoCommands {
  /** Undefined if the line is none of these commands. */
  run(line: string): Reaction | undefined;
  /** The lines of the named candidate that the session edits. */
  candidate(): Change[] | undefined;
  /** The text after `config` in a prompt. */
  mark(): string;
  /** Question before leaving the configuration; `done` leaves it. */
  leaving(done: () => Reaction): Reaction | undefined;
  /** The session no longer edits a named candidate. */
  left(): void;
  closed(): void;
}

export function createUndoCommands(device: Device, session: UndoSession): UndoCommands {
  const { platform } = device.options;
  const { kept, configuration } = device;
  const me = {};
  let named: string | undefined;
  /** The configuration that the next commit puts in place of the running one. */
  let whole: readonly string[] | undefined;

  function force(name: string | undefined): void {
    const changes = name === undefined ? session.takeCandidate() : (kept.candidates.get(name) ?? []);
    if (whole !== undefined) configuration.replace(whole);
    whole = undefined;
    for (const change of changes) session.apply(change);
    if (name !== undefined) kept.candidates.delete(name);
  }

  function act(way: SimulatedWay, name: string | undefined, minutes: number): boolean {
    switch (way.does) {
      case "keep":
        return name !== undefined && kept.copies.set(name, configuration.lines()).size > 0;
      case "restore": {
        const copy = kept.copies.get(name ?? "");
        if (copy !== undefined) configuration.replace(copy);
        return copy !== undefined;
      }
      case "forget":
        return kept.copies.delete(name ?? "");
      case "open":
        named = name ?? "";
        kept.candidates.set(named, kept.candidates.get(named) ?? []);
        session.enter();
        return true;
      case "previous":
        whole = kept.history.at(-1);
        return whole !== undefined;
      case "drop":
        if (kept.candidates.delete(name ?? "")) return true;
        if (kept.trial()?.name !== name) return false;
        kept.revert();
        return true;
      case "extend": {
        const waits = kept.trial();
        if (waits !== undefined) kept.begin(waits, minutes);
        return waits !== undefined;
      }
      case "revert": {
        const waits = kept.trial() !== undefined;
        kept.revert();
        return waits;
      }
      default:
        return commit(way, name, minutes);
    }
  }

  function commit(way: SimulatedWay, name: string | undefined, minutes: number): boolean {
    const waiting = kept.trial();
    if (name !== undefined && !kept.candidates.has(name) && waiting?.name !== name) return false;
    if (way.does === "trial") {
      const before = configuration.lines();
      kept.begin({ name, owner: way.leaving === undefined ? undefined : me }, minutes);
      if (way.enters) session.enter();
      else kept.history.push(before);
    } else {
      if (way.lacks !== undefined && name === undefined && waiting === undefined) return false;
      kept.confirm();
      kept.history.push(configuration.lines());
    }
    if (!way.enters) force(name !== undefined && kept.candidates.has(name) ? name : undefined);
    return true;
  }

  function run(line: string): Reaction | undefined {
    for (const way of platform.simulated?.ways ?? []) {
      const match = way.line.exec(line);
      if (match === null || session.level() !== (way.level ?? platform.home)) continue;
      const { name, minutes, time } = match.groups ?? {};
      const [hours = "0", rest = "0"] = time?.split(":") ?? [];
      const wait = time === undefined ? Number(minutes ?? 0) : Number(hours) * 60 + Number(rest);
      const worded = (text: string) => text.replaceAll("$1", () => name ?? "");
      const asks = (way.asks ?? []).map(({ text }) => ({ text: worded(text) }));
      return session.inTurn(asks, () =>
        act(way, name, wait)
          ? { output: worded(way.says ?? ""), about: "commit" }
          : { output: way.lacks ?? device.refusal },
      );
    }
    return undefined;
  }

  function mine(): boolean {
    return kept.trial()?.owner === me;
  }

  return {
    run,
    candidate: () => (named === undefined ? undefined : kept.candidates.get(named)),
    mark: () => (named === undefined ? "" : `-s-${named.slice(0, 6)}`),
    leaving(done) {
      const text = platform.simulated?.ways?.find(({ leaving }) => leaving !== undefined)?.leaving;
      if (text === undefined || !mine()) return undefined;
      return {
        output: "",
        asks: {
          text,
          hidden: false,
          answered(reply) {
            if (!/^y(?:es)?$/i.test(reply.trim())) return { output: "" };
            kept.revert();
            return done();
          },
        },
      };
    },
    left() {
      named = undefined;
    },
    closed() {
      if (mine()) kept.revert();
    },
  };
}
