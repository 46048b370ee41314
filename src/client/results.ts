/** Results of jobs as they end: blocks for people, JSON lines, CSV, or a file for each device. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Checks, Job } from "./answers.ts";
import { asRead, shown, shownLine, withoutLastLineEnds } from "./clean.ts";
import { csvLine } from "./csv.ts";
import { jsonLine } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export type ResultForm = "text" | "json" | "csv";

export interface ResultWriter {
  /** A job that has ended. */
  write(job: Job): Promise<void>;
}

export function createResultWriter(
  terminal: Pick<Terminal, "write" | "paint" | "columns">,
  { form, folder }: { form: ResultForm; folder?: string },
): ResultWriter {
  if (folder !== undefined) return toFolder(folder, form);
  if (form === "json") return { write: (job) => terminal.write(`${jsonLine(job)}\n`) };
  if (form === "csv") {
    let begun = false;
    return {
      async write(job) {
        const header = begun ? "" : csvLine(csvHeader);
        begun = true;
        await terminal.write(asRead(header + csvRows(job), terminal));
      },
    };
  }
  return { write: (job) => terminal.write(blockOf(job, terminal)) };
}

export const csvHeader = [
  "host",
  "status",
  "command",
  "output",
  "error",
  "message",
  "outcome",
  "duration",
  "id",
];

/** A row for each command; one for a job without any. */
export function csvRows(job: Job): string {
  const { host, status, result, duration, id } = job;
  const outputs = Object.entries(result?.retval ?? {});
  const error = result?.error;
  return (outputs.length === 0 ? [["", ""] as const] : outputs)
    .map(([command, output]) =>
      csvLine([
        host,
        status,
        command,
        textOf(output),
        error?.type ?? "",
        error?.message ?? "",
        error?.outcome ?? "",
        duration === null ? "" : String(duration),
        id,
      ]),
    )
    .join("");
}

/** What a device said is text; what a parser or a driver made of it is JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/** The host, then each command with its output, then why it failed. */
export function blockOf(job: Job, { paint }: Pick<Terminal, "paint">): string {
  const { host, status, result, duration } = job;
  const colour = status === "finished" ? "green" : "red";
  const took = duration === null ? "" : paint("dim", ` ${duration.toFixed(2)} s`);
  const lines = [`${paint("bold", `=== ${shownLine(host)}`)} ${paint(colour, status)}${took}`];
  const outputs = Object.entries(result?.retval ?? {});
  for (const [command, output] of outputs) {
    if (outputs.length > 1) lines.push(paint("bold", `--- ${shownLine(command)}`));
    lines.push(withoutLastLineEnds(shown(textOf(output))));
  }
  if (job.checks) lines.push(...checkLines(job.checks));
  const error = result?.error;
  if (error) {
    const unknown = error.outcome === "unknown" ? " It is not known what the device has done." : "";
    lines.push(paint("red", shown(`${error.type}: ${error.message}${unknown}`)));
    if (error.sent && error.sent.length > 0) lines.push(shown(`It may have run: ${error.sent.join(" | ")}`));
  }
  for (const warning of job.warnings ?? []) lines.push(paint("yellow", shown(`warning: ${warning}`)));
  return `${lines.join("\n")}\n\n`;
}

/** A line for each check, and what became of the push. */
function checkLines({ before, after, message }: Checks): string[] {
  const line = (when: string, { name, command, ok, message }: Checks["before"][number]) => {
    const verdict = ok === null ? "not judged" : ok ? "ok" : "failed";
    return shownLine(`check ${when}: ${verdict}: ${name ?? command}: ${message}`);
  };
  return [
    ...before.map((result) => line("before", result)),
    ...after.map((result) => line("after", result)),
    shownLine(message),
  ];
}

const extensions = { text: "txt", json: "json", csv: "csv" } as const;

/** Names are made of letters, digits, `.`, `_` and `-`, so that no host leads out of the folder. */
function toFolder(folder: string, form: ResultForm): ResultWriter {
  mkdirSync(folder, { recursive: true });
  const taken = new Set<string>();
  const noColours = { paint: (_colour: string, text: string) => text };
  return {
    async write(job) {
      const path = join(folder, freeName(job.host, extensions[form], taken));
      const text =
        form === "json"
          ? `${JSON.stringify(job, null, 2)}\n`
          : form === "csv"
            ? csvLine(csvHeader) + csvRows(job)
            : blockOf(job, noColours).trimEnd().concat("\n");
      // Outputs hold what devices hold: for their owner only.
      writeFileSync(path, text, { mode: 0o600 });
    },
  };
}

/** Two devices behind one address do not overwrite each other. */
export function freeName(host: string, extension: string, taken: Set<string>): string {
  const safe =
    host
      .replace(/[^\w.-]/g, "_")
      .replace(/^[.-]+/, "_")
      .slice(0, 200) || "_";
  for (let number = 1; ; number++) {
    const name = `${safe}${number === 1 ? "" : `-${number}`}.${extension}`;
    // Two names that differ in their case are one file on some systems.
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}
