/** Formats the results of all runs as a table, with the broken promises below. */
import { breachKinds } from "./judge.ts";
import type { Report } from "./scenario.ts";

const breachesShown = 20;

export function table(reports: readonly Report[]): string {
  const heads = [
    ...["scenario", "jobs", "troubles", "finished", "failed", "unknown", "again"],
    ...breachKinds,
    "time",
  ];
  const rows = reports.map((report) => [
    report.scenario,
    ...[report.jobs, report.troubles, report.finished, report.failed, report.unknown, report.again].map(
      String,
    ),
    ...breachKinds.map((kind) => String(report.breaches.filter((one) => one.kind === kind).length)),
    `${report.seconds.toFixed(0)} s`,
  ]);
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return [line(heads), ...rows.map(line), ...reports.flatMap(detailsOf)].join("\n");
}

/** The figures of a run, and its first broken promises. */
export function detailsOf({ scenario, figures, breaches, folder }: Report): string[] {
  const told = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  return [
    `${scenario}: ${told.join(", ")}`,
    ...breaches.slice(0, breachesShown).map(({ kind, text }) => `  BREACH ${kind}: ${text}`),
    ...(breaches.length > breachesShown ? [`  … and ${breaches.length - breachesShown} more`] : []),
    ...(folder === undefined ? [] : [`  logs: ${folder}`]),
  ];
}
