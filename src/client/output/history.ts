/** Texts of the history of configurations: what a take has read, how a device stands, where a line differs. */
import * as v from "valibot";
import { statesOf } from "../../api/history/history.ts";
import { shown, shownLine } from "../../base/text/terminal-text.ts";
import type { Blame, DeviceHistory, Difference, Match, Version } from "../rooms/history.ts";
import type { Job } from "../service/answers.ts";
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
export function unifiedText(
  { unified = "" }: Pick<Difference, "unified">,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): string {
  if (columns === undefined) return unified;
  const lines = shown(unified).split("\n");
  return lines.map((line, at) => paintedLine(line, at, paint)).join("\n");
}

function paintedLine(line: string, at: number, paint: Terminal["paint"]): string {
  if (at < 2) return line === "" ? line : paint("bold", line);
  if (line.startsWith("@@")) return paint("dim", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}

/** Shorter columns than this are not read. */
const leastColumn = 20;
const usualWidth = 160;
const signs = { same: " ", changed: "|", added: ">", removed: "<" } as const;

/** Two columns as `diff -y` has them, with a sign between; lines that are longer than a column are cut. */
export function sideText(
  { parts = [], cut }: Pick<Difference, "parts" | "cut">,
  { paint, columns = usualWidth }: Pick<Terminal, "paint" | "columns">,
): string {
  const width = Math.max(leastColumn, Math.floor((columns - 3) / 2));
  const lines = parts.flatMap((rows, at) => [
    ...(at === 0 ? [] : [paint("dim", "…")]),
    ...rows.map(({ kind, left, right }) => {
      const [one, other] = [cell(left?.text, width).padEnd(width), cell(right?.text, width)];
      const isOld = kind === "changed" || kind === "removed";
      const isNew = kind === "changed" || kind === "added";
      return `${isOld ? paint("red", one) : one} ${signs[kind]} ${isNew ? paint("green", other) : other}`.trimEnd();
    }),
  ]);
  if (cut === true) lines.push(paint("yellow", "… and more: without --side all is shown"));
  return lines.map((line) => `${line}\n`).join("");
}

const changeSigns = { added: "+", removed: "-", moved: "~", within: " " } as const;
const changeColours = { added: "green", removed: "red", moved: "yellow", within: "dim" } as const;

/** Lines below those that they belong to: `+` added, `-` removed, `~` moved. */
export function structuredText(
  { changes = [], cut }: Pick<Difference, "changes" | "cut">,
  { paint }: Paint,
): string {
  const lines = changes.flatMap(({ change, text, depth }) =>
    text.split("\n").map((line) => {
      const indented = `${" ".repeat(2 * depth)}${shownLine(line).trimStart()}`;
      return paint(changeColours[change], `${changeSigns[change]} ${indented}`);
    }),
  );
  if (cut === true) lines.push(paint("yellow", "… and more: without --structured all is shown"));
  return lines.map((line) => `${line}\n`).join("");
}

function cell(text = "", width: number): string {
  const line = shownLine(text);
  return line.length <= width ? line : `${line.slice(0, width - 1).toWellFormed()}…`;
}

/** Each line behind the version that brought it, its date and who is behind it. */
export function blameText(
  { text, runs, versions, complete }: Blame,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): string {
  const known = new Map(versions.map((version) => [version.version, version]));
  const headOf = (number: number) => {
    const version = known.get(number);
    return [
      String(number),
      version?.taken_at.slice(0, 10) ?? "",
      version ? shownLine(personOf(version)) : "",
    ];
  };
  const heads = new Map(runs.map(({ version }) => [version, headOf(version)]));
  const width = (at: number) => Math.max(0, ...[...heads.values()].map((head) => head[at]?.length ?? 0));
  const [numbers, dates, people] = [width(0), width(1), Math.min(width(2), maxPerson)];
  const lines = text.split("\n");
  const shownLines: string[] = [];
  for (const { version, lines: count } of runs) {
    const [number = "", date = "", person = ""] = heads.get(version) ?? [];
    const head = `${number.padStart(numbers)} ${date.padEnd(dates)} ${person.slice(0, people).padEnd(people)}`;
    for (const line of lines.slice(shownLines.length, shownLines.length + count))
      shownLines.push(`${paint("dim", `${head} |`)} ${columns === undefined ? line : shownLine(line)}\n`);
  }
  const rest = complete
    ? ""
    : paint("yellow", "Older versions were not compared: the oldest one stands for them.\n");
  return shownLines.join("") + rest;
}

const maxPerson = 20;

/** The matching lines of a device as `grep` has them, below the lines that they belong to. */
export function matchText({ version, first_version, total, hits }: Match, { paint }: Paint): string {
  const { device, version: number, taken_at } = version;
  const name = shownLine(device);
  const lines: string[] = [];
  if (first_version !== undefined) {
    const from = first_version === number ? `version ${number}` : `versions ${first_version} to ${number}`;
    lines.push(paint("bold", `${name}: ${from}, taken ${taken_at.slice(0, 10)}`));
  }
  let above = 0;
  for (const { line, text, parents } of hits) {
    for (const parent of parents) {
      if (parent.line <= above) continue;
      lines.push(paint("dim", `${name}-${parent.line}- ${shownLine(parent.text)}`));
      above = parent.line;
    }
    lines.push(`${paint("bold", `${name}:${line}:`)} ${shownLine(text)}`);
    above = line;
  }
  if (total > hits.length) lines.push(paint("dim", `${name}: ${plural(total - hits.length, "more line")}`));
  return lines.map((line) => `${line}\n`).join("");
}
