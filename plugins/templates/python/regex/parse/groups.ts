/** Groups of a pattern during parsing: numbers, names, valid references. */
import { textLength } from "../../text/codepoints.ts";
import { textRepr } from "../../text/repr.ts";
import type { Width } from "./ast.ts";
import { PatternError } from "./errors.ts";
import { isIdentifier, type Reader, refuse, take, takeUntil } from "./reader.ts";

const maxGroups = 2 ** 30;

const none: Width = { low: 0, high: 0 };

/** A class, not closures: every rule of every template is parsed. */
export class Groups {
  readonly names = new Map<string, number>();
  private readonly widths: (Width | undefined)[] = [undefined];
  private conditions: Map<number, number> | undefined;
  private behindFrom: number | undefined;

  constructor(private readonly reader: Reader) {}

  count(): number {
    return this.widths.length;
  }

  closed(group: number): boolean {
    return this.widths[group] !== undefined;
  }

  /** Throws if a look-behind may not refer to the group. */
  checkBehind(group: number): void {
    if (this.behindFrom === undefined) return;
    if (!this.closed(group)) throw refuse(this.reader, "cannot refer to an open group");
    if (group >= this.behindFrom) {
      throw refuse(this.reader, "cannot refer to group defined in the same lookbehind subpattern");
    }
  }

  /** Returns the state that `leaveBehind` restores. */
  enterBehind(behind: boolean): number | undefined {
    const outer = this.behindFrom;
    if (behind) this.behindFrom ??= this.widths.length;
    return outer;
  }

  leaveBehind(outer: number | undefined): void {
    this.behindFrom = outer;
  }

  open(name: string | undefined): number {
    const group = this.widths.push(undefined) - 1;
    if (name === undefined) return group;
    const before = this.names.get(name);
    if (before !== undefined) {
      const reason = `redefinition of group name ${textRepr(name)} as group ${group}; was group ${before}`;
      throw refuse(this.reader, reason, textLength(name) + 1);
    }
    this.names.set(name, group);
    return group;
  }

  close(group: number, width: Width): void {
    this.widths[group] = width;
  }

  width(group: number): Width {
    return this.widths[group] ?? none;
  }

  /** `<name>` after `(?P`. */
  readName(): string {
    const char = take(this.reader);
    if (char === undefined) throw refuse(this.reader, "unexpected end of pattern");
    if (char !== "<") throw refuse(this.reader, `unknown extension ?P${char}`, textLength(char) + 2);
    const name = takeUntil(this.reader, ">", "group name");
    this.checkName(name);
    return name;
  }

  /** `name)` after `(?P=`. */
  readReference(): number {
    const name = takeUntil(this.reader, ")", "group name");
    this.checkName(name);
    const group = this.groupOf(name);
    if (!this.closed(group)) {
      throw refuse(this.reader, "cannot refer to an open group", textLength(name) + 1);
    }
    this.checkBehind(group);
    return group;
  }

  /** `name)` or `number)` after `(?(`. */
  readCondition(): number {
    const name = takeUntil(this.reader, ")", "group name");
    const group = isIdentifier(name) ? this.groupOf(name) : this.numbered(name);
    this.checkBehind(group);
    return group;
  }

  /** Conditions may refer to later groups; at the end all must exist. */
  checkConditions(): void {
    for (const [group, position] of this.conditions ?? []) {
      if (group >= this.widths.length) {
        throw new PatternError(`invalid group reference ${group}`, this.reader.text, position);
      }
    }
  }

  private checkName(name: string): void {
    if (!isIdentifier(name)) {
      throw refuse(this.reader, `bad character in group name ${textRepr(name)}`, textLength(name) + 1);
    }
  }

  private groupOf(name: string): number {
    const group = this.names.get(name);
    if (group === undefined) {
      throw refuse(this.reader, `unknown group name ${textRepr(name)}`, textLength(name) + 1);
    }
    return group;
  }

  private numbered(name: string): number {
    const { reader } = this;
    const length = textLength(name);
    const group = /^\s*[+-]?\d+(?:_\d+)*\s*$/.test(name) ? Number(name.replaceAll("_", "")) : -1;
    if (group < 0) throw refuse(reader, `bad character in group name ${textRepr(name)}`, length + 1);
    if (group === 0) throw refuse(reader, "bad group number", length + 1);
    if (group >= maxGroups) throw refuse(reader, `invalid group reference ${group}`, length + 1);
    this.conditions ??= new Map();
    if (!this.conditions.has(group)) {
      const position = textLength(reader.text.slice(0, reader.position)) - length - 1;
      this.conditions.set(group, position);
    }
    return group;
  }
}
