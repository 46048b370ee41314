/** A report as Markdown or as a page: the same blocks, written in two ways. Texts of others are inert in both. */
import { createHash } from "node:crypto";
import type { ChangeReport, ChangeTarget, TargetCounts } from "../../api/changes/change.ts";
import { escapeHtml, markdownCode, markdownLines } from "../../base/text/markup.ts";
import { shown, shownLine } from "../../base/text/terminal-text.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import { devicesOf } from "../labels.ts";
import type { ReportedChange, ReportForm, ReportText } from "../port.ts";

/** Words of this file; texts of callers and devices stand in an object. */
type Cell = string | { readonly said: string };

type Block =
  | { readonly kind: "title"; readonly name: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [label: string, cell: Cell])[] }
  | { readonly kind: "lines"; readonly text: string }
  | { readonly kind: "table"; readonly columns: readonly string[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "tableEnd" };

/** Writes one block after the other. */
interface Writer {
  readonly type: string;
  readonly policy?: string;
  head(name: string): string;
  block(block: Block): string;
  readonly end: string;
}

export function writeReport({ report, devices }: ReportedChange, form: ReportForm): ReportText {
  const { type, policy, head, block, end } = form === "html" ? html : markdown;
  async function* pieces(): AsyncGenerator<string> {
    yield head(report.name);
    for await (const one of blocksOf(report, devices())) {
      yield block(one);
      await yieldToEventLoop();
    }
    yield end;
  }
  return { type, pieces: pieces(), ...(policy === undefined ? {} : { policy }) };
}

const said = (text: string | number | null | undefined): Cell =>
  text === null || text === undefined ? "" : { said: String(text) };
const time = (at: string | null) => (at === null ? "" : at.replace("T", " ").replace(/\.\d+(?=Z$|[-+])/, ""));
const counted = (counts: TargetCounts) =>
  Object.entries(counts)
    .flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []))
    .join(", ");

async function* blocksOf(
  report: ChangeReport,
  devices: AsyncIterable<readonly ChangeTarget[]>,
): AsyncGenerator<Block> {
  yield { kind: "title", name: report.name };
  yield { kind: "facts", facts: factsOf(report).filter(([, cell]) => cell !== "") };
  yield* planned(report);
  yield* table(
    "Votes",
    ["Person", "Verdict", "Revision", "Hash", "At", "Note"],
    report.votes.map(({ person, verdict, revision, hash, at, note }) => [
      ...[said(person), verdict, String(revision), hash ?? "", time(at), said(note)],
    ]),
    "Nobody has voted.",
  );
  yield* table(
    "Waves",
    ["Wave", "Devices", "Began", "End"],
    report.wave_results.map(({ number, devices, began_at, targets }) => [
      ...[String(number), String(devices), time(began_at), counted(targets)],
    ]),
    "There is no plan.",
  );
  yield { kind: "heading", text: "Devices" };
  yield {
    kind: "table",
    columns: ["Wave", "Device", "Host", "End", "Before", "After", "Reason", "Job", "Return"],
  };
  for await (const page of devices)
    yield {
      kind: "rows",
      rows: page.map((target) => [
        ...[String(target.wave), said(target.device), said(target.host), target.state],
        ...[String(target.before_version ?? ""), String(target.after_version ?? ""), said(target.reason)],
        ...[said(target.job_id), said(target.return_job_id)],
      ]),
    };
  yield { kind: "tableEnd" };
  yield* table(
    "Steps",
    ["At", "What", "Who", "Detail"],
    report.steps.map(({ at, what, who, detail }) => [time(at), said(what), said(who), said(detail)]),
    "Nothing has happened.",
  );
  if (report.steps_cut) yield { kind: "paragraph", text: "There are more steps than are shown." };
}

function factsOf(report: ChangeReport): (readonly [label: string, cell: Cell])[] {
  const { reason, approvals, ledger, limits, returns, submitted_by } = report;
  const limit = (kind: "failed" | "unreachable" | "unknown") => {
    const { wave, total } = limits?.[kind] ?? { wave: null, total: null };
    return `${kind} ${wave ?? "any"} in a wave, ${total ?? "any"} in all`;
  };
  return [
    ["State", report.state],
    ["Reason", said(reason)],
    ["Id", said(report.id)],
    ["Ticket", said(report.ticket)],
    ["Author", said(`${submitted_by.name} (${submitted_by.kind})`)],
    ["Revision", String(report.revision)],
    ["Hash of the plan", report.hash ?? ""],
    ["Drafted", time(report.created_at)],
    ["Started", time(report.started_at)],
    ["Ended", time(report.ended_at)],
    ["Approvals", `${approvals.given} of ${approvals.needed}`],
    ["Devices", counted(report.targets)],
    [
      "Stops at more than",
      limits === null ? "" : `${limit("failed")}; ${limit("unreachable")}; ${limit("unknown")}`,
    ],
    ["Attempts to return", returns === 0 ? "" : String(returns)],
    ["Ledger", ledger === null ? "" : `${ledger.count} entries, ${ledger.first} to ${ledger.last}`],
    ["Reported", time(report.reported_at)],
  ];
}

function* planned({ request, groups, warnings }: ChangeReport): Generator<Block> {
  yield { kind: "heading", text: "Plan" };
  yield { kind: "lines", text: JSON.stringify(request, null, 2) };
  if (warnings.length > 0)
    yield { kind: "facts", facts: warnings.map((warning) => ["Warning", said(warning)] as const) };
  for (const { sha256, lines, devices, first_devices, cut } of groups) {
    const more = devices > first_devices.length ? ` and ${devices - first_devices.length} more` : "";
    yield {
      kind: "facts",
      facts: [
        [devicesOf(devices), said(`${first_devices.join(", ")}${more}`)],
        ["SHA-256 of their lines", sha256],
      ],
    };
    yield { kind: "lines", text: lines };
    if (cut) yield { kind: "paragraph", text: "These are the first of the lines." };
  }
}

function* table(
  text: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  nothing: string,
): Generator<Block> {
  yield { kind: "heading", text };
  if (rows.length === 0) return yield { kind: "paragraph", text: nothing };
  yield { kind: "table", columns };
  yield { kind: "rows", rows };
  yield { kind: "tableEnd" };
}

const markdownCell = (cell: Cell) => (typeof cell === "string" ? cell : markdownCode(cell.said));

const markdown: Writer = {
  type: "text/markdown; charset=utf-8",
  head: () => "",
  end: "",
  block(block) {
    switch (block.kind) {
      case "title":
        return `# Change ${markdownCode(block.name)}\n\n`;
      case "heading":
        return `## ${block.text}\n\n`;
      case "paragraph":
        return `${block.text}\n\n`;
      case "facts":
        return `${block.facts.map(([label, cell]) => `- ${label}: ${markdownCell(cell)}`).join("\n")}\n\n`;
      case "lines":
        return `${markdownLines(block.text)}\n\n`;
      case "table":
        return `| ${block.columns.join(" | ")} |\n|${"---|".repeat(block.columns.length)}\n`;
      case "rows":
        return block.rows.map((row) => `| ${row.map(markdownCell).join(" | ")} |\n`).join("");
      case "tableEnd":
        return "\n";
    }
  },
};

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:80rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}
h2{font-size:1.2rem;margin-top:2rem}
h1,td,dd{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
dt{font-weight:600}
dd{margin:0}
pre{border:1px solid #8888;padding:.5rem;overflow:auto;max-height:30rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{border:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}
@media print{pre{max-height:none;white-space:pre-wrap}}`;
const styleHash = createHash("sha256").update(style).digest("base64");
/** Nothing is loaded or run, also from a copy on a disk. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;

const htmlCell = (cell: Cell) => escapeHtml(typeof cell === "string" ? cell : shownLine(cell.said));

const html: Writer = {
  type: "text/html; charset=utf-8",
  policy: `${policy}; frame-ancestors 'none'; sandbox`,
  head: (name) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(shownLine(name))} · Change · Patchbay</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
`,
  end: "</main>\n</body>\n</html>\n",
  block(block) {
    switch (block.kind) {
      case "title":
        return `<h1>Change ${escapeHtml(shownLine(block.name))}</h1>\n`;
      case "heading":
        return `<h2>${block.text}</h2>\n`;
      case "paragraph":
        return `<p>${block.text}</p>\n`;
      case "facts":
        return `<dl>${block.facts.map(([label, cell]) => `<dt>${label}</dt><dd>${htmlCell(cell)}</dd>`).join("\n")}</dl>\n`;
      case "lines":
        return `<pre>${escapeHtml(shown(block.text))}</pre>\n`;
      case "table":
        return `<table>\n<thead><tr>${block.columns.map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>\n<tbody>\n`;
      case "rows":
        return block.rows
          .map((row) => `<tr>${row.map((cell) => `<td>${htmlCell(cell)}</td>`).join("")}</tr>\n`)
          .join("");
      case "tableEnd":
        return "</tbody>\n</table>\n";
    }
  },
};
