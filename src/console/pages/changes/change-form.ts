/** Builds the request of a change from its form. */
import { changeDefaults } from "../../../api/changes/change-defaults.ts";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { checkForm, checkPhases, readCheckText, writeCheckText } from "../../../base/text/check-text.ts";
import { readJsonObject } from "../../forms/json-text.ts";
import type { Asked } from "../../shapes/changes.ts";
import { checksOf, linesOf, workOf } from "../jobs/run-operation.ts";

export const kindsOfLimit = ["failed", "unreachable", "unknown"] as const;

/**
 * @param before what is edited: without lines it keeps its own
 * @throws Error an invalid number, check or JSON
 */
export function changeOf(data: FormData, before?: Asked): Record<string, unknown> {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const given = (name: string) => text(name) || undefined;
  const devices = text("hosts")
    .split(/[\s,]+/)
    .filter(Boolean);
  const { config: _, rendering, restore: __, ...kept }: Partial<Asked> = before ?? {};
  const kind = text("operation");
  const hasLines = String(data.get(kind === "template" ? "template" : "lines") ?? "").trim() !== "";
  const work =
    kind === "restore"
      ? { restore: { at: given("restore.at"), version: numberOf(given("restore.version")) } }
      : hasLines
        ? workOf(kind, data, text).body
        : rendering
          ? { rendering }
          : {};
  const args = text("driver_args");
  const hold = given("hold");
  const [canary, waves] = [given("canary"), linesOf(text("waves").replaceAll(/[\s,]+/g, "\n"))];
  const strategy = {
    ...kept.strategy,
    canary: canary === undefined ? undefined : /^\d+$/.test(canary) ? Number(canary) : canary.split(/[\s,]+/),
    waves: waves.length === 0 ? undefined : waves,
    spread: given("spread"),
    apart: given("apart"),
    soak_seconds: numberOf(given("soak_seconds")),
    gate: given("gate"),
    limits: limitsOf(kept.strategy?.limits, given),
    questions: questionsOf(data, kept.strategy?.questions ?? []),
    inconclusive_seconds: numberOf(given("inconclusive_seconds")),
  };
  return {
    ...kept,
    name: text("name"),
    ticket: given("ticket"),
    note: given("note"),
    select: given("select"),
    devices: devices.length === 0 ? undefined : devices,
    ...work,
    checks: data.has("checks") ? checksOf(text) : kept.checks,
    driver_args: args === "" ? undefined : readJsonObject("The driver arguments", args),
    sentinels: sentinelsOf(data),
    strategy,
    on_stop: given("on_stop"),
    hold: hold === changeDefaults.hold ? undefined : hold,
    approvals: {
      ...kept.approvals,
      count: numberOf(given("approvals")),
      not_author: !data.has("own_vote"),
      hours: numberOf(given("hours")),
    },
    not_before: given("not_before"),
  };
}

/** One field for a wave and all waves: where they differ, both are kept until it is typed over. */
function limitsOf(
  before: NonNullable<Asked["strategy"]>["limits"],
  given: (name: string) => string | undefined,
) {
  const limits = kindsOfLimit.flatMap((kind) => {
    const total = given(`limit.${kind}`);
    const old = before?.[kind] ?? undefined;
    if (total === undefined) return old && (old.total ?? null) === null ? [[kind, old] as const] : [];
    return [[kind, String(old?.total ?? "") === total ? old : { wave: total, total }] as const];
  });
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}

/** Undefined: there are none. */
function rowsOf<T>(data: FormData, name: string, read: (key: string, field: FieldOf) => T): T[] | undefined {
  const keys = data.getAll(name).map(String);
  const rows = keys.map((key) =>
    read(key, (field) => String(data.get(`${name}.${key}.${field}`) ?? "").trim() || undefined),
  );
  return rows.length === 0 ? undefined : rows;
}

type FieldOf = (field: string) => string | undefined;

const sentinelsOf = (data: FormData) =>
  rowsOf(data, "sentinel", (_, field) => ({
    select: field("select"),
    devices: field("devices")?.split(/[\s,]+/),
    checks: linesOf(field("checks") ?? "").map(checkOf),
  }));

/** What the form has no field for is kept. */
const questionsOf = (data: FormData, before: NonNullable<NonNullable<Asked["strategy"]>["questions"]>) =>
  rowsOf(data, "question", (key, field) => ({
    ...before[Number(key)],
    name: field("name"),
    url: field("url"),
    expression: field("expression"),
    timeout_seconds: numberOf(field("timeout_seconds")),
    headers: headersOf(field("headers")),
    before: field("after") === undefined ? undefined : false,
  }));

/** A check after a push without the word for it, or as JSON. */
function checkOf(line: string): Readonly<Record<string, unknown>> {
  const said = line.trim();
  if (said.startsWith("{")) return readJsonObject("Check", said);
  const read = readCheckText(/^(?:before|after|both):/.test(said) ? said : `after: ${said}`);
  if (read === undefined) throw new Error(`Check ${JSON.stringify(said)}: ${checkForm}, or write JSON.`);
  return read.check;
}

/** Each check of sentinels in a line. */
export const checkRows = (checks: readonly Readonly<Record<string, unknown>>[]): string =>
  checks
    .map((check) => writeCheckText("after", check)?.replace(/^after: /, "") ?? stringifyExact(check))
    .join("\n");

function headersOf(lines: string | undefined): Readonly<Record<string, string>> | undefined {
  if (lines === undefined) return undefined;
  const pairs = linesOf(lines).map((line) => {
    const [, name, value = ""] = /^\s*([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error("Headers: write each as Name: value.");
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

export const headerLines = (headers: Readonly<Record<string, string>> | null | undefined): string =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** The checks as lines; undefined: one says more than a line can, so all are kept as they are. */
export function checkLinesOf({ checks }: Pick<Asked, "checks">): string | undefined {
  const lines = checkPhases.flatMap((phase) =>
    (checks?.[phase] ?? []).map((check) => writeCheckText(phase, check)),
  );
  return lines.includes(undefined) ? undefined : lines.join("\n");
}
