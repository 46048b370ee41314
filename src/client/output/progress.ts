/** Formats a bulk: a progress line, and a summary at the end. */
import { adviceFor } from "../../base/text/error-advice.ts";
import { shown } from "../../base/text/terminal-text.ts";
import type { Bulk, EndedJob } from "../service/answers.ts";
import { plural, spanText } from "./numbers.ts";
import { tableText } from "./table.ts";

const barWidth = 20;
export const maxFailures = 50;

/** `[#####---------------] 50/200  3 failed  41.5/s  4 s left`, of one bulk or several. */
export function progressLine(bulks: readonly Bulk[]): string {
  const total = sum(bulks, (bulk) => bulk.total);
  const ended = sum(bulks, ({ counts }) => counts.finished + counts.failed + counts.cancelled);
  const failed = sum(bulks, ({ counts }) => counts.failed);
  const rate = sum(bulks, (bulk) => bulk.rate ?? 0);
  const secondsLeft = Math.max(0, ...bulks.map(({ eta_seconds }) => eta_seconds ?? 0));
  const filled = total === 0 ? 0 : Math.floor((ended / total) * barWidth);
  const parts = [
    `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${ended}/${total}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(rate > 0 ? [`${rate.toFixed(1)}/s`] : []),
    ...(secondsLeft > 0 && ended < total ? [`${spanText(secondsLeft)} left`] : []),
  ];
  return parts.join("  ");
}

/** Formats name-value pairs, one per line; multi-line values are indented. */
export function factsText(facts: readonly (readonly [name: string, value: string])[]): string {
  const filledIn = facts.filter(([, value]) => value !== "");
  const width = Math.max(9, ...filledIn.map(([name]) => name.length + 1));
  const under = `\n${" ".repeat(width)}`;
  return shown(
    filledIn.map(([name, value]) => `${name.padEnd(width)}${value.replaceAll("\n", under)}\n`).join(""),
  );
}

/** `200 devices: 197 finished, 3 failed in 2 s.` */
export function summaryLine(bulk: Bulk): string {
  const { counts, total, created_at, ended_at, stopped_because, with_refusals: refused } = bulk;
  // A refused query is finished: counted with the others, its refusal would go unnoticed.
  const groups: [string, number][] = [
    ["finished", counts.finished - refused],
    ["finished with a refused command", refused],
    ...(["failed", "cancelled", "held", "queued", "running"] as const).map((status): [string, number] => [
      status,
      counts[status],
    ]),
  ];
  const parts = groups.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  const took = ended_at ? ` in ${spanText((Date.parse(ended_at) - Date.parse(created_at)) / 1_000)}` : "";
  const why = stopped_because ? ` Stopped: ${shown(stopped_because)}` : "";
  const dryRun = bulk.dry_run === true ? " A dry run: nothing was changed." : "";
  const others = bulk.with_warnings - refused;
  const warned = others > 0 ? ` ${others} ${refused > 0 ? "more" : "of them"} with warnings.` : "";
  return `${plural(total, "device")}: ${parts.join(", ")}${took}.${warned}${dryRun}${why}`;
}

/**
 * Failed jobs with their reasons, and what to do about each type of error among them.
 * @param of number of all failures, and the bulks they are in
 */
export function failuresText(
  failures: readonly Pick<EndedJob, "host" | "device" | "result">[],
  columns: number | undefined,
  { total, bulks }: FailuresOf,
): string {
  if (failures.length === 0) return "";
  const nameOf = ({ device, host }: (typeof failures)[number]) => device || host;
  const sorted = [...failures].sort((a, b) => nameOf(a).localeCompare(nameOf(b), "en", { numeric: true }));
  const isNamed = failures.some(({ device }) => device);
  const rows = sorted
    .slice(0, maxFailures)
    .map(({ host, device, result }) => [
      ...(isNamed ? [device ?? ""] : []),
      host,
      result?.error?.type ?? "",
      firstLineOf(result?.error?.message),
    ]);
  const heads = [...(isNamed ? ["device"] : []), "host", "error", "message"];
  const table = tableText(heads, rows, columns);
  const commands = bulks.map((id) => `patchbay bulk ${id} --failed`).join(", ");
  const more = rows.length < total ? `… and ${total - rows.length} more: ${commands}\n` : "";
  const types = [...new Set(sorted.flatMap(({ result }) => result?.error?.type ?? []))];
  return table + more + types.map(adviceLine).join("") + unknownText(failures, bulks);
}

export interface FailuresOf {
  readonly total: number;
  readonly bulks: readonly string[];
}

/** What a retry does with pushes that may have been applied; empty if there are none. */
function unknownText(failures: readonly Pick<EndedJob, "result">[], bulks: readonly string[]): string {
  const unknown = failures.filter(({ result }) => result?.error?.outcome === "unknown").length;
  if (unknown === 0) return "";
  const lines = bulks.map((id) => `  patchbay bulk ${id} --retry\n`).join("");
  return `The outcome of ${unknown} is unknown: lines may be in force there. Look at these devices; a retry leaves them out, and --force sends to them again:\n${lines}`;
}

/** `ReadTimeout: …` on a line; empty if there is no advice. */
export function adviceLine(errorType: string): string {
  const advice = adviceFor(errorType);
  return advice === undefined ? "" : `${errorType}: ${advice}\n`;
}

function firstLineOf(text = ""): string {
  return text.split("\n")[0] ?? "";
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
