/** Formats the results of all attacks as a table, with the broken promises below. */
import type { Memory } from "../soak/watch.ts";
import { type AttackReport, limits } from "./attack.ts";

export function table(reports: readonly AttackReport[]): string {
  const heads = [
    "attack",
    "start",
    "memory",
    "resident",
    "slowest",
    "again",
    "refused",
    "before",
    "after",
    "time",
    "held",
  ];
  const rows = reports.map(({ name, watched, before, after, seconds, breaches }) => [
    name,
    `${watched.start.mb.toFixed(0)} MB`,
    `${watched.most.mb.toFixed(0)} MB`,
    `${watched.maxRssMb.toFixed(0)} MB`,
    `${watched.slowestMs.toFixed(0)} ms`,
    String(watched.askedAgain),
    String(watched.refused.length),
    `${before.toFixed(0)}/s`,
    `${after.toFixed(0)}/s`,
    `${seconds.toFixed(0)} s`,
    breaches.length === 0 ? "yes" : "NO",
  ]);
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return [
    line(heads),
    ...rows.map(line),
    ...reports.flatMap(details),
    `Limits: ${limits.memoryMb} MB for the service and its processes, ${limits.slowestMs} ms for a small request of another key.`,
    "again: small requests of another key that got 503 with Retry-After and succeeded on retry.",
    "memory: peak, shared pages counted once; resident: peak of the summed RSS, shared pages counted per process.",
  ].join("\n");
}

/** One line per attack, printed when it ends. */
export function summary({ watched, seconds, breaches }: AttackReport): string {
  const { most, maxRssMb, slowestMs } = watched;
  const held = breaches.length === 0 ? "held" : breaches.join("; ");
  return `${most.mb.toFixed(0)} MB (${maxRssMb.toFixed(0)} resident), slowest ${slowestMs.toFixed(0)} ms, ${seconds.toFixed(0)} s: ${held}`;
}

function ownOf({ mb, ownMb }: Memory): string {
  const [service = 0, ...others] = ownMb;
  const shared = ownMb.reduce((left, own) => left - own, mb);
  const parts = [`service ${service.toFixed(0)}`, ...others.map((own) => `process ${own.toFixed(0)}`)];
  return `${parts.join(" + ")} + shared ${shared.toFixed(0)}`;
}

function details({ name, figures, watched, breaches }: AttackReport): string[] {
  const told = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  return [
    `${name}: ${[...told, `slowest: ${watched.slowest}`, `peak: ${ownOf(watched.most)} MB`].join(", ")}`,
    ...breaches.map((breach) => `  BREACH ${breach}`),
  ];
}
