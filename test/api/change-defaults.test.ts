/** The guide of changes names the defaults that hold. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { changeDefaults } from "../../src/api/changes/change-defaults.ts";

const guide = readFileSync("docs/guides/changes.md", "utf8");
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
const limitsAt = guide.indexOf("## What stops it");

/** The last cell of the row of a field. */
function told(field: string, text = guide): string | undefined {
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const row = rows.map(cellsOf).find(([first]) => first?.split(", ").includes(`\`${field}\``));
  return row?.at(-1);
}

test("every default is in the tables and sentences of the guide", () => {
  const { canary, waves, soak_seconds, gate, concurrency, limits, ...others } = changeDefaults;
  const { inconclusive_seconds, timeout_seconds, on_stop, hold, approvals, ...more } = others;
  expect(more, "a new default: say it in the guide, and here").toEqual({});
  expect({
    canary: told("canary"),
    waves: told("waves"),
    soak_seconds: told("soak_seconds"),
    gate: told("gate"),
    concurrency: told("concurrency"),
    inconclusive_seconds: told("inconclusive_seconds"),
    timeout_seconds: told("timeout_seconds"),
    failed: told("failed", guide.slice(limitsAt)),
    unreachable: told("unreachable", guide.slice(limitsAt)),
    unknown: told("unknown", guide.slice(limitsAt)),
  }).toEqual({
    canary: String(canary),
    waves: `\`${JSON.stringify(waves).replace(",", ", ")}\``,
    soak_seconds: String(soak_seconds),
    gate: `\`${gate}\``,
    concurrency: String(concurrency),
    inconclusive_seconds: `none, ${inconclusive_seconds}`,
    timeout_seconds: String(timeout_seconds),
    failed: `${limits.failed.wave} in a wave, ${limits.failed.total} in all`,
    unreachable: `${limits.unreachable.total.replace("%", " %")} of all`,
    unknown: `${limits.unknown.wave} in a wave, ${limits.unknown.total} in all`,
  });
  expect(guide).toContain(`\`"hold": "${hold}"\`, the default`);
  expect(guide).toContain(
    `By default it needs ${approvals.count} vote, ${approvals.not_author ? "not the author's" : "of anybody"}, its plan expires after ${approvals.hours} hours, and \`on_stop\` is \`${on_stop}\``,
  );
});
