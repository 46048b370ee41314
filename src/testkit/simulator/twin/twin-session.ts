/** What a simulated device does with lines when it is the twin of a real one: it takes what it knows, and says what it does not. */
import { compareLines } from "../../../base/text/line-diff.ts";
import { type Ending, endingOf } from "../../../base/text/text-blocks.ts";
import { refusalText } from "../../../twin/play.ts";
import type { Twin, TwinCursor } from "../../../twin/twin.ts";
import { type Device, shownName } from "../device.ts";
import type { Reaction } from "../reaction.ts";
import type { Change } from "../terminal/configuration-history.ts";
import { addTo, stepInto } from "./twin-configuration.ts";

export interface TwinLines {
  /** Where the session stands. */
  cursor(): TwinCursor;
  /** @param typed the line with its blanks */
  configure(line: string, typed: string): Reaction;
  /** What the waiting lines change. */
  difference(): string;
  /** The waiting lines are gone, or in the configuration; the session stays where it stands. */
  discarded(): void;
  /** The session enters or leaves the configuration. */
  moved(): void;
}

/** @param waiting the lines that wait for a commit; undefined: lines take effect at once */
export function createTwinLines(device: Device, twin: Twin, waiting: () => Change[] | undefined): TwinLines {
  const live = twin.cursor();
  let draft: { readonly twin: Twin; readonly cursor: TwinCursor } | undefined;
  let stood: readonly string[] = [];
  /** A section that is one text, until the line that ends it. */
  let text: { readonly lines: string[]; readonly ending: Ending } | undefined;

  function current(): { readonly twin: Twin; readonly cursor: TwinCursor } {
    const changes = waiting();
    if (changes === undefined) return { twin, cursor: live };
    if (draft === undefined) {
      const copy = twin.copy();
      for (const change of changes) addTo(copy, change);
      const cursor = copy.cursor();
      stepInto(cursor, copy, stood);
      draft = { twin: copy, cursor };
    }
    return draft;
  }

  const says = (what: string, output = ""): Reaction => ({
    output: [`twin: ${what}`, ...(output === "" ? [] : [output])].join("\n"),
    about: "line",
  });

  return {
    cursor: () => current().cursor,
    configure(line, typed) {
      const lines = wholeText(line, typed);
      if (lines === undefined) return { output: "", about: "line" };
      const { cursor } = current();
      const { shape } = device.options.platform.running ?? {};
      if (shape === "blocks" && cursor.path().length === 0 && !line.startsWith("config "))
        return { output: missingAnswer(device) };
      const told = cursor.take(lines);
      if (told === undefined || told.effect === "leaves") return { output: "", about: "line" };
      const { effect, path, refusal, unknown } = told;
      if (refusal !== undefined) return says(refusalText(refusal), device.refusal);
      if (effect === "unclear" && unknown !== undefined) return says(unknown, device.refusal);
      waiting()?.push({ path, line: lines.join("\n") });
      if (waiting() === undefined)
        device.hostname = shownName(device.rename?.exec(line)?.[1], device.hostname);
      return unknown === undefined
        ? { output: "", about: "line" }
        : says(`${unknown}: it is kept as it stands`);
    },
    difference: () => differing(linesOf(twin), linesOf(current().twin)),
    discarded() {
      stood = draft?.cursor.path() ?? stood;
      draft = undefined;
    },
    moved() {
      stood = [];
      draft = undefined;
      text = undefined;
    },
  };

  /** @returns undefined while the text goes on */
  function wholeText(line: string, typed: string): string[] | undefined {
    if (text === undefined) {
      // The blanks before it say where whoever wrote it thinks that it stands.
      const lines = line.includes("\n") ? line.split("\n") : [typed];
      const ending =
        lines.length > 1 ? undefined : endingOf(line, device.options.platform.running?.texts ?? []);
      if (ending === undefined) return lines;
      text = { lines, ending };
      return undefined;
    }
    const { lines, ending } = text;
    lines.push(typed);
    if (!ending.test(typed)) return undefined;
    text = undefined;
    return lines;
  }
}

function differing(before: readonly string[], after: readonly string[]): string {
  return compareLines(before, after)
    .changes.flatMap(({ oldFrom, oldTo, newFrom, newTo }) => [
      ...before.slice(oldFrom, oldTo).map((line) => `- ${line}`),
      ...after.slice(newFrom, newTo).map((line) => `+ ${line}`),
    ])
    .join("\n");
}

const linesOf = (twin: Twin) => (twin.commands() ?? twin.running()).trimEnd().split("\n");

/** A command of which nobody has recorded an answer: programs take it for a refusal. */
export const missingAnswer = ({ refusal }: Device) =>
  `twin: it knows no answer to this command, only the configuration and recorded answers\n${refusal}`;
