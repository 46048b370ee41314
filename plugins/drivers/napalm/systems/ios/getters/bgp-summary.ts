/** Rows of `show bgp all summary`, by address family. */
import { ipAddress } from "../../../common/addresses.ts";
import { firstGroup, linesOf, wordsOf } from "../../../common/text.ts";

export interface SummaryRow {
  /** Name printed by the device: `IPv4 Unicast`. */
  readonly family: string;
  readonly routerId: string;
  readonly localAs: string;
  readonly neighbor: string;
  /** The address as printed by the device. */
  readonly written: string;
  readonly remoteAs: string;
  readonly queuedOut: number;
  readonly upDown: string;
  /** The number of prefixes if the session is established, else its state. */
  readonly state: string;
}

/** Version, AS, received, sent, table, queues in and out, time, state. */
const columns = 9;

export function summaryOf(output: string): SummaryRow[] {
  const rows: SummaryRow[] = [];
  const of = { family: "", routerId: "", localAs: "" };
  let neighbor = "";
  let written = "";
  /** A long address, or a long AS after it, ends the line. */
  let row: string[] = [];
  for (const line of linesOf(output)) {
    of.family = firstGroup(/^For address family: (\S.*)$/, line)?.trim() ?? of.family;
    const [, routerId, localAs] = /router identifier ([\d.]+), local AS number ([\d.]+)/.exec(line) ?? [];
    if (routerId !== undefined && localAs !== undefined) Object.assign(of, { routerId, localAs });
    const words = wordsOf(line);
    const first = (words[0] ?? "").replace(/^\*/, "");
    const named = line.startsWith(" ") ? undefined : ipAddress(first);
    if (named !== undefined) {
      neighbor = named;
      written = first;
      row = words.slice(1);
    } else if (neighbor !== "" && line.startsWith(" ")) row = [...row, ...words];
    if (neighbor === "" || row.length < columns) continue;
    const [, remoteAs = "", , , , , out = "", upDown = "", ...state] = row;
    rows.push({
      ...of,
      neighbor,
      written,
      remoteAs,
      queuedOut: Number(out) || 0,
      upDown,
      state: state.join(" "),
    });
    neighbor = "";
  }
  return rows;
}
