/** Builds the request of a change from its form. */
import { checkPhases, writeCheckText } from "../../base/text/check-text.ts";
import type { Asked } from "../shapes-changes.ts";
import { checksOf, linesOf, workOf } from "./run-operation.ts";

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
  const { config: _, rendering, ...kept }: Partial<Asked> = before ?? {};
  const isTemplate = text("operation") === "template";
  const hasLines = String(data.get(isTemplate ? "template" : "lines") ?? "").trim() !== "";
  const work = hasLines ? workOf(text("operation"), data, text).body : rendering ? { rendering } : {};
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
    strategy,
    on_stop: given("on_stop"),
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

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** The checks as lines; undefined: one says more than a line can, so all are kept as they are. */
export function checkLinesOf({ checks }: Pick<Asked, "checks">): string | undefined {
  const lines = checkPhases.flatMap((phase) =>
    (checks?.[phase] ?? []).map((check) => writeCheckText(phase, check)),
  );
  return lines.includes(undefined) ? undefined : lines.join("\n");
}
