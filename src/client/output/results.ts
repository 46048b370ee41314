/** Writes job results: text blocks, JSON lines, CSV, or one file per device. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { notAskedText } from "../../api/rehearsal/not-asked.ts";
import { type Grade, rehearsal } from "../../api/rehearsal/rehearsal.ts";
import { reader } from "../../api/schema.ts";
import { asRead, shown, shownLine, withoutLastLineEnds } from "../../base/text/terminal-text.ts";
import type { Checks, Job } from "../service/answers.ts";
import { csvLine } from "./csv.ts";
import { mayHaveChanged } from "./outcome.ts";
import { jsonLine } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export type ResultForm = "text" | "json" | "csv";

export interface ResultWriter {
  /** Writes an ended job. */
  write(job: Job): Promise<void>;
}

export function createResultWriter(
  terminal: Pick<Terminal, "write" | "paint" | "columns">,
  { form, folder }: { form: ResultForm; folder?: string },
): ResultWriter {
  if (folder !== undefined) return toFolder(folder, form);
  if (form === "json") return { write: (job) => terminal.write(`${jsonLine(job)}\n`) };
  if (form === "csv") {
    let headerWritten = false;
    return {
      async write(job) {
        const header = headerWritten ? "" : csvLine(csvHeader);
        headerWritten = true;
        await terminal.write(asRead(header + csvRows(job), terminal));
      },
    };
  }
  return { write: (job) => terminal.write(blockOf(job, terminal)) };
}

export const csvHeader = [
  "device",
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

/** One row per command; one row for a job without commands. */
export function csvRows(job: Job): string {
  const { host, status, result, duration, id } = job;
  const outputs = Object.entries(result?.retval ?? {});
  const error = result?.error;
  return (outputs.length === 0 ? [["", ""] as const] : outputs)
    .map(([command, output]) =>
      csvLine([
        job.device ?? "",
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

/** Raw output as text; structured results as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/** `ber-1 (10.0.0.1)`: a device by the name people know it by, with its address. */
export function nameOfDevice({ device, host }: Pick<Job, "device" | "host">): string {
  if (!device || device === host) return host;
  return host === "" ? device : `${device} (${host})`;
}

/** The device, each command with its output, and the error. */
export function blockOf(job: Job, { paint }: Pick<Terminal, "paint">): string {
  const { status, result, duration, dry_run } = job;
  const dryRun = dry_run === true ? paint("yellow", " dry run: nothing was changed") : "";
  const colour = status === "finished" ? "green" : "red";
  const took = duration === null ? "" : paint("dim", ` ${duration.toFixed(2)} s`);
  const lines = [
    `${paint("bold", `=== ${shownLine(nameOfDevice(job))}`)} ${paint(colour, status)}${took}${dryRun}`,
  ];
  const outputs = Object.entries(result?.retval ?? {});
  for (const [command, output] of outputs) {
    if (outputs.length > 1) lines.push(paint("bold", `--- ${shownLine(command)}`));
    const rehearsed = command === "rehearsal" ? v.safeParse(rehearsalReader, output) : undefined;
    if (rehearsed?.success === true) lines.push(...rehearsalLines(rehearsed.output, paint));
    else lines.push(withoutLastLineEnds(shown(textOf(output))));
  }
  if (result?.compared === false) lines.push(paint("yellow", notCompared));
  if (job.checks) lines.push(...checkLines(job.checks));
  const error = result?.error;
  if (error) {
    const isUnknown = mayHaveChanged(error);
    const unknown = isUnknown ? " The outcome on the device is unknown." : "";
    lines.push(paint("red", shown(`${error.type}: ${error.message}${unknown}`)));
    if (isUnknown && error.sent && error.sent.length > 0)
      lines.push(shown(`It may have run: ${error.sent.join(" | ")}`));
    if (isUnknown && job.operation === "config")
      lines.push(shown(`Look at the device first. To send it again: patchbay job ${job.id} --retry --force`));
  }
  for (const warning of job.warnings ?? []) lines.push(paint("yellow", shown(`warning: ${warning}`)));
  return `${lines.join("\n")}\n\n`;
}

const notCompared =
  "Not compared with the device: these are the lines as they would be sent, whether it has or takes them or not.";

const rehearsalReader = reader(rehearsal);

/** Each line with its grade, what would change, and the way back. */
function rehearsalLines(
  {
    lines,
    diff,
    reverse,
    reverse_proven,
    twin,
    message,
    not_asked = [],
    warnings,
  }: v.InferOutput<typeof rehearsalReader>,
  paint: Terminal["paint"],
): string[] {
  const colourOf = (grade: Grade) =>
    ["checked", "seen", "alike"].includes(grade)
      ? "green"
      : grade === "no_effect"
        ? "dim"
        : grade === "unknown"
          ? "yellow"
          : "red";
  return [
    ...lines.map(
      ({ grade, text, why }) =>
        `${paint(colourOf(grade), grade.padEnd(11))} ${shownLine(text)}  ${paint("dim", shownLine(why))}`,
    ),
    ...(diff === null || diff === "" ? [] : [paint("bold", "--- would change"), shown(diff)]),
    ...(reverse === null || reverse.length === 0
      ? []
      : [
          paint("bold", reverse_proven === true ? "--- takes it back" : "--- takes it back, not proven"),
          shown(reverse.join("\n")),
        ]),
    ...(twin === undefined ? [] : [shownLine(twin.message)]),
    paint("bold", shownLine(message)),
    ...not_asked.map((one) => paint("yellow", shownLine(`not asked: ${notAskedText(one)}`))),
    ...warnings.map((warning) => paint("yellow", shown(`warning: ${warning}`))),
  ];
}

/** One line per check, and the outcome of the push. */
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

/** File names use only letters, digits, `.`, `_` and `-`, so that no host escapes the folder. */
function toFolder(folder: string, form: ResultForm): ResultWriter {
  mkdirSync(folder, { recursive: true });
  const takenNames = new Set<string>();
  const noColours = { paint: (_colour: string, text: string) => text };
  return {
    async write(job) {
      const path = join(folder, freeName(job.device || job.host, extensions[form], takenNames));
      const text =
        form === "json"
          ? `${JSON.stringify(job, null, 2)}\n`
          : form === "csv"
            ? csvLine(csvHeader) + csvRows(job)
            : blockOf(job, noColours).trimEnd().concat("\n");
      // Outputs may be confidential: readable by the owner only.
      writeFileSync(path, text, { mode: 0o600 });
    },
  };
}

/** Finds a free name, so that two devices at one address do not overwrite each other. */
export function freeName(host: string, extension: string, takenNames: Set<string>): string {
  const safe =
    host
      .replace(/[^\w.-]/g, "_")
      .replace(/^[.-]+/, "_")
      .slice(0, 200) || "_";
  for (let number = 1; ; number++) {
    const name = `${safe}${number === 1 ? "" : `-${number}`}.${extension}`;
    // Some file systems ignore case.
    if (takenNames.has(name.toLowerCase())) continue;
    takenNames.add(name.toLowerCase());
    return name;
  }
}
