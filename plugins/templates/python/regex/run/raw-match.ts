/** The position of a match, from a RegExp result or from the backtracking matcher. */
import type { MatchMode, NativeForm } from "./native.ts";

export interface RawMatch {
  readonly start: number;
  readonly end: number;
  group(index: number): string | null;
  /** Offsets in code units; -1, -1 if the group did not participate. */
  span(index: number): readonly [number, number];
}

const absent: readonly [number, number] = [-1, -1];

/** A class, because a search in a large text makes one for each match. */
export class OwnMatch implements RawMatch {
  readonly start: number;
  readonly end: number;

  constructor(
    private readonly text: string,
    private readonly spans: Int32Array,
  ) {
    this.start = spans[0] ?? 0;
    this.end = spans[1] ?? 0;
  }

  span(index: number): readonly [number, number] {
    const end = this.spans[2 * index + 1] ?? -1;
    return end < 0 ? absent : [this.spans[2 * index] ?? -1, end];
  }

  group(index: number): string | null {
    const [start, end] = this.span(index);
    return end < 0 ? null : this.text.slice(start, end);
  }
}

export class NativeMatch implements RawMatch {
  readonly start: number;
  readonly end: number;
  private located: RegExpExecArray | undefined;

  constructor(
    private readonly text: string,
    private readonly answer: RegExpExecArray,
    private readonly form: NativeForm,
    private readonly mode: MatchMode,
  ) {
    this.start = answer.index;
    this.end = answer.index + answer[0].length;
  }

  group(index: number): string | null {
    if (index === 0) return this.answer[0];
    const place = this.form.groups[index] ?? 0;
    return place === 0 ? null : (this.answer[place] ?? null);
  }

  /** Group positions are rarely requested and need a second match. */
  span(index: number): readonly [number, number] {
    if (index === 0) return [this.start, this.end];
    const place = this.form.groups[index] ?? 0;
    if (place === 0 || this.answer[place] === undefined) return absent;
    if (this.located === undefined) {
      const regExp = this.form.regExp(this.mode === "full" ? "full" : "match", true);
      if (regExp === undefined) return absent;
      regExp.lastIndex = this.start;
      this.located = regExp.exec(this.text) ?? undefined;
    }
    return this.located?.indices?.[place] ?? absent;
  }
}
