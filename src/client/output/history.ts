/** Texts of the history of configurations: what a take has read, how a device stands, where a line differs. */
import * as v from "valibot";
import { statesOf } from "../../api/history.ts";
import { shown, shownLine } from "../../base/text/terminal-text.ts";
import type { Job } from "../service/answers.ts";
import type { DeviceHistory, Version } from "../service/history.ts";
import { plural } from "./numbers.ts";
import { nameOfDevice } from "./results.ts";
import type { Terminal } from "./terminal.ts";

type Paint = Pick<Terminal, "paint">;

/** What the job of a take answers of each part. */
const readPart = v.looseObject({
  state: v.string(),
  lines: v.number(),
  changed: v.boolean(),
  reason: v.optional(v.string()),
});

/** A line for each part that was read, or for the failure. */
export function takenText(job: Job, { paint }: Paint): string {
  const name = shownLine(nameOfDevice(job));
  const { result, warnings = [] } = job;
  const parts = Object.entries(result?.retval ?? {}).flatMap(([part, output]) => {
    const read = v.safeParse(readPart, output);
    if (!read.success) return [];
    const { state, lines, changed, reason } = read.output;
    const found =
      state === "good"
        ? changed
          ? paint("green", "a new version")
          : paint("dim", "unchanged")
        : paint("yellow", `${state}: ${shownLine(reason ?? "")}`);
    return [`${name} ${part}: ${found}, ${plural(lines, "line")}`];
  });
  const error = result?.error;
  const failed = error ? [paint("red", `${name}: ${shown(`${error.type}: ${error.message}`)}`)] : [];
  const others = warnings.filter((warning) => !warning.includes(" is suspect "));
  const told = others.map((warning) => paint("yellow", shown(`warning: ${name}: ${warning}`)));
  return [...parts, ...failed, ...told].map((line) => `${line}\n`).join("");
}

/** `suspect, unsaved`; `good` for a device in no other state. */
export function standingOf(device: DeviceHistory): string {
  const words = statesOf(device).map((state) =>
    state === "suspect" ? plural(device.suspects, state) : state === "failed" ? failureOf(device) : state,
  );
  return words.length === 0 ? "good" : words.join(", ");
}

function failureOf({ error }: DeviceHistory): string {
  return error === null ? "failed" : `failed: ${error}`;
}

/** `+4 −2`, of lines. */
export function countsOf({ added, removed }: Pick<Version, "added" | "removed">): string {
  return `+${added} -${removed}`;
}

/** Who is behind a version: as the device says, else who asked or pushed. */
export function personOf({ by_on_device, who }: Pick<Version, "by_on_device" | "who">): string {
  return by_on_device ?? who ?? "";
}

/** A difference in unified form, coloured at a terminal; elsewhere as it is, for `patch` and `git apply`. */
export function differenceText(
  text: string,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): string {
  if (columns === undefined) return text;
  const lines = shown(text).split("\n");
  return lines.map((line, at) => paintedLine(line, at, paint)).join("\n");
}

function paintedLine(line: string, at: number, paint: Terminal["paint"]): string {
  if (at < 2) return line === "" ? line : paint("bold", line);
  if (line.startsWith("@@")) return paint("dim", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
