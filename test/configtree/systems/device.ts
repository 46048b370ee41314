/** Devices that hold a configuration and take lines as strictly as real ones: written from what the systems do, not from the rules. */
import type { Random } from "../frr-configurations.ts";

export interface ConfigDevice {
  running(): string;
  /** Takes lines, and commits them where the system has a candidate. @returns what it refused, each with its reason */
  push(lines: readonly string[]): string[];
}

export interface SimulatedSystem {
  readonly make: () => ConfigDevice;
  /** Lines that make a configuration of a new device, in an order that it takes. */
  readonly lines: (random: Random) => string[];
}

/** A command of a mode. */
export interface Command {
  readonly line: RegExp;
  /** What it sets; two lines that set the same cannot both be there. */
  readonly slot: (found: RegExpExecArray) => string;
  /** Lines that remove it. Default: the word of negation before the line. */
  readonly removed?: (found: RegExpExecArray) => readonly string[];
  readonly opens?: string;
  /** The line of that slot that is there has to go before another one comes. */
  readonly refusesSecond?: boolean;
  /** Why it is refused here. */
  readonly refused?: (found: RegExpExecArray, device: ModeDevice, here: Mode) => string | undefined;
  /** Why it cannot be removed. */
  readonly kept?: (found: RegExpExecArray, device: ModeDevice, here: Mode) => string | undefined;
  /** What else the line does when it is set with another value, or is removed. */
  readonly also?: (found: RegExpExecArray, device: ModeDevice, here: Mode) => void;
  /** What it does each time. */
  readonly always?: (found: RegExpExecArray, device: ModeDevice, here: Mode) => void;
  /** The line says what is so without it. */
  readonly isDefault?: (here: Mode) => boolean;
  /** Shown in the order in which they came; else by their names. */
  readonly inOrder?: boolean;
  /** It cannot be created or removed: there when the device is new. */
  readonly fixed?: readonly string[];
  /** Not shown while nothing is in it. */
  readonly vanishes?: boolean;
  /** A list of numbers that lines add to and remove from; one with `opens` enters that for the numbers it adds. */
  readonly list?: NumberList;
}

export interface NumberList {
  /** Of one line: what it does with which numbers; undefined: it is no line of the list. */
  readonly reads: (
    line: string,
  ) => { readonly does: "set" | "add" | "remove"; readonly numbers: readonly number[] } | undefined;
  readonly shows: (numbers: readonly number[], device: ModeDevice) => readonly string[];
  readonly also?: (device: ModeDevice) => void;
}

export interface Held {
  readonly command: Command;
  readonly found: RegExpExecArray;
  readonly line: string;
  readonly inside: Mode | undefined;
  readonly numbers?: ReadonlySet<number>;
}

export interface Mode {
  readonly name: string;
  readonly header: string;
  readonly held: Map<string, Held>;
}

export interface Grammar {
  readonly modes: Readonly<Record<string, readonly Command[]>>;
  readonly negate: string;
  readonly leaves: RegExp;
  /** A line that a mode does not know is tried in the one above. */
  readonly fallsBack: boolean;
  readonly indent?: string;
  /** Stands behind each section. */
  readonly closes?: (held: Held, depth: number) => readonly string[];
  readonly between?: string;
  readonly last?: string;
  /** Checked when lines are committed; absent: each line counts at once. */
  readonly commit?: (device: ModeDevice) => readonly string[];
  /** A text whose lines are taken as they are until one. */
  readonly texts?: readonly { readonly start: RegExp; readonly end: string }[];
}

const byName = new Intl.Collator("en", { numeric: true });

export class ModeDevice implements ConfigDevice {
  readonly #grammar: Grammar;
  top: Mode = { name: "top", header: "", held: new Map() };
  constructor(grammar: Grammar) {
    this.#grammar = grammar;
    for (const command of grammar.modes.top ?? [])
      for (const line of command.fixed ?? []) this.#set(this.top, command, this.#match(command, line), line);
  }

  /** All that is held, at any depth. */
  *all(mode: Mode = this.top): Generator<{ readonly held: Held; readonly mode: Mode }> {
    for (const held of mode.held.values()) {
      yield { held, mode };
      if (held.inside !== undefined) yield* this.all(held.inside);
    }
  }

  has(test: RegExp): boolean {
    for (const { held } of this.all()) if (test.test(held.line)) return true;
    return false;
  }

  #match(command: Command, line: string): RegExpExecArray {
    const found = command.line.exec(line);
    if (found === null) throw new Error(`no such line: ${line}`);
    return found;
  }

  push(lines: readonly string[]): string[] {
    const { commit, leaves, texts = [] } = this.#grammar;
    const before = commit === undefined ? undefined : this.#copy(this.top);
    const refused: string[] = [];
    let open: Mode[] = [this.top];
    for (let at = 0; at < lines.length; at++) {
      const line = (lines[at] ?? "").trim();
      if (line === "" || line === "!" || line === "#") continue;
      if (leaves.test(line)) {
        if (line === "end" || line === "return") open = [this.top];
        else if (open.length > 1) open = open.slice(0, -1);
        else refused.push(`${line}: nothing to leave`);
        continue;
      }
      const text = texts.find(({ start }) => start.test(line));
      if (text !== undefined && open.length === 1) {
        const end = lines.findIndex((one, index) => index > at && one.trim() === text.end);
        const whole = lines.slice(at, end + 1).map((one, index) => (index === 0 ? line : one));
        at = end;
        const told = end < 0 ? "no end" : this.#take(open, whole.join("\n"));
        if (typeof told === "string") refused.push(`${line}: ${told}`);
        continue;
      }
      const told = this.#take(open, line);
      if (typeof told === "string")
        refused.push(`${open.map(({ header }) => header).join("/")}/${line}: ${told}`);
      else open = told;
    }
    const faults = commit?.(this) ?? [];
    if (faults.length > 0 && before !== undefined) this.top = before;
    return [...refused, ...faults.map((fault) => `commit: ${fault}`)];
  }

  /** @returns the modes that are open then, or why it is refused */
  #take(open: Mode[], line: string): Mode[] | string {
    for (let depth = open.length; depth > 0; depth--) {
      const here = open[depth - 1];
      if (here === undefined) break;
      const told = this.#takeIn(here, line);
      if (typeof told === "string") return told;
      if (told !== undefined) return [...open.slice(0, depth), ...told];
      if (!this.#grammar.fallsBack) break;
    }
    return "unknown here";
  }

  /** @returns undefined: the mode does not know it */
  #takeIn(here: Mode, line: string): Mode[] | string | undefined {
    for (const command of this.#grammar.modes[here.name] ?? []) {
      const adds = command.list?.reads(line)?.does === "add";
      const wrongPlace = adds
        ? command.refused?.(this.#match({ ...command, line: /^/ }, line), this, here)
        : undefined;
      if (wrongPlace !== undefined) return wrongPlace;
      if (command.list !== undefined && this.#takeList(here, command, command.list, line))
        return command.opens === undefined || line.startsWith(`${this.#grammar.negate} `)
          ? []
          : [{ name: command.opens, header: line, held: new Map() }];
      if (command.list !== undefined) continue;
      const found = command.line.exec(line);
      if (found === null) continue;
      const slot = command.slot(found);
      const known = here.held.get(slot);
      if (known?.inside !== undefined && known.line === line) return [known.inside];
      const why = command.refused?.(found, this, here);
      if (why !== undefined) return why;
      if (known !== undefined && known.line !== line && command.refusesSecond === true)
        return `there is ${known.line}`;
      command.always?.(found, this, here);
      if (command.isDefault?.(here) === true) {
        if (known !== undefined) this.#drop(here, slot);
        return [];
      }
      if (command.fixed !== undefined && known === undefined) return "no such hardware";
      const inside = this.#set(here, command, found, line);
      return inside === undefined ? [] : [inside];
    }
    const { negate } = this.#grammar;
    if (!line.startsWith(`${negate} `)) {
      // What is shown with the word of negation is removed without it.
      const opposite = [...here.held].find(([, held]) => held.line === `${negate} ${line}`);
      if (opposite === undefined) return undefined;
      this.#drop(here, opposite[0]);
      return [];
    }
    for (const [slot, { command, found, line: held }] of here.held) {
      const forms = command.removed?.(found) ?? [`${negate} ${held}`];
      if (!forms.includes(line)) continue;
      if (command.fixed !== undefined) return "it is hardware";
      const why = command.kept?.(found, this, here);
      if (why !== undefined) return why;
      this.#drop(here, slot);
      return [];
    }
    return undefined;
  }

  #takeList(here: Mode, command: Command, list: NumberList, line: string): boolean {
    const read = list.reads(line);
    if (read === undefined) return false;
    const slot = String(command.line.source.slice(1, -1));
    const known = here.held.get(slot)?.numbers ?? new Set<number>();
    const numbers =
      read.does === "set"
        ? new Set(read.numbers)
        : read.does === "add"
          ? known.union(new Set(read.numbers))
          : known.difference(new Set(read.numbers));
    if (read.does === "remove" && !read.numbers.every((one) => known.has(one))) return false;
    if (numbers.size === 0) here.held.delete(slot);
    else {
      const found = this.#match({ ...command, line: /^.*$/ }, line);
      here.held.set(slot, { command, found, line: "", inside: undefined, numbers });
    }
    list.also?.(this);
    return true;
  }

  #set(here: Mode, command: Command, found: RegExpExecArray, line: string): Mode | undefined {
    const slot = command.slot(found);
    const known = here.held.get(slot);
    const isNew = known?.line !== line;
    const inside =
      command.opens === undefined
        ? undefined
        : { name: command.opens, header: line, held: known?.inside?.held ?? new Map<string, Held>() };
    if (isNew) command.also?.(found, this, here);
    here.held.set(slot, { command, found, line, inside });
    return inside;
  }

  #drop(here: Mode, slot: string): void {
    const held = here.held.get(slot);
    here.held.delete(slot);
    held?.command.also?.(held.found, this, here);
  }

  #copy(mode: Mode): Mode {
    const held = [...mode.held].map(([slot, one]): [string, Held] => [
      slot,
      { ...one, inside: one.inside === undefined ? undefined : this.#copy(one.inside) },
    ]);
    return { ...mode, held: new Map(held) };
  }

  running(): string {
    const { indent = " ", closes, between, last } = this.#grammar;
    const lines: string[] = [];
    const show = (mode: Mode, depth: number): void => {
      for (const command of this.#grammar.modes[mode.name] ?? []) {
        const all = [...mode.held].filter(([, held]) => held.command === command);
        if (command.inOrder !== true) all.sort(([a], [b]) => byName.compare(a, b));
        for (const [, held] of all) {
          if (command.vanishes === true && held.inside?.held.size === 0) continue;
          const shown =
            held.numbers === undefined
              ? held.line.split("\n")
              : (command.list?.shows(
                  [...held.numbers].sort((a, b) => a - b),
                  this,
                ) ?? []);
          const [first, ...more] = shown;
          if (first === undefined) continue;
          lines.push(indent.repeat(depth) + first);
          for (const line of more)
            lines.push(held.numbers === undefined ? line : indent.repeat(depth) + line);
          if (held.inside === undefined) continue;
          show(held.inside, depth + 1);
          for (const line of closes?.(held, depth) ?? []) lines.push(indent.repeat(depth) + line);
        }
        if (depth === 0 && lines.length > 0 && lines.at(-1) !== between && between !== undefined)
          lines.push(between);
      }
    };
    show(this.top, 0);
    return [...lines, ...(last === undefined ? [] : [last])].map((line) => `${line}\n`).join("");
  }
}

export const numbersIn = (text: string) =>
  text.split(",").flatMap((piece) => {
    const [from = 0, to = from] = piece.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });

/** Numbers in a row as ranges. */
export function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const one of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === one - 1) last[1] = one;
    else ranges.push([one, one]);
  }
  return ranges;
}

/** `words` with one value: removed with or without it. */
export function one(words: string, value = "\\S.*", more: Partial<Command> = {}): Command {
  return {
    line: new RegExp(`^${words} (${value})$`),
    slot: () => words,
    removed: ({ 0: line }) => [`no ${words}`, `no ${line}`],
    ...more,
  };
}

/** Lines that stand beside each other, removed as they are. */
export function many(form: string, more: Partial<Command> = {}): Command {
  return { line: new RegExp(`^${form}$`), slot: ({ 0: line }) => line, ...more };
}

/** An entry with a number. */
export function numbered(
  form: string,
  number: (found: RegExpExecArray) => string,
  more: Partial<Command> = {},
): Command {
  return {
    line: new RegExp(`^${form}$`),
    slot: number,
    refusesSecond: true,
    removed: (found) => [`no ${number(found)}`, `no ${found[0]}`],
    ...more,
  };
}

/** Ports, trunks and other lists of VLANs as Cisco and its relatives have them. */
export function vlanList(words: string, more: Partial<NumberList> = {}): Command {
  return {
    line: new RegExp(`^${words}$`),
    slot: () => words,
    list: {
      reads: (line) => {
        const [, add, numbers] = new RegExp(`^${words} (add |remove )?(\\d[\\d,-]*)$`).exec(line) ?? [];
        if (numbers !== undefined)
          return {
            does: add === undefined ? "set" : add === "add " ? "add" : "remove",
            numbers: numbersIn(numbers),
          };
        return line === `no ${words}` ? { does: "set", numbers: [] } : undefined;
      },
      shows: (numbers) => [
        `${words} ${rangesOf(numbers)
          .map(([from, to]) => (from === to ? from : to === from + 1 ? `${from},${to}` : `${from}-${to}`))
          .join(",")}`,
      ],
      ...more,
    },
  };
}
