/** Reports as text: ten thousand devices in pieces, and the same content as Markdown and as a page. */
import { expect, test } from "vitest";
import { type ChangeReport, type ChangeTarget, changeLimits } from "../../src/api/changes/change.ts";
import { writeReport } from "../../src/changes/report/report-text.ts";
import { noCounts } from "../../src/changes/targets.ts";

const hostile = '`</td></tr><script>alert("1")</script> | ``x`` [a](b) <!-- & \u001b[31m';
const report: ChangeReport = {
  ...{ id: "c1", name: hostile, state: "returned", reason: hostile, revision: 2, hash: "a".repeat(64) },
  ...{ submitted_by: { kind: "person", name: hostile }, ticket: hostile, wave: 1, waves: [1], phase: null },
  ...{ created_at: "2026-01-02T03:04:05.678+00:00", started_at: null, ended_at: null, expires_at: null },
  ...{ due_at: null, approvals: { needed: 1, given: 1 }, targets: { ...noCounts(), returned: 1 } },
  ...{
    request: { name: hostile },
    not_returnable_because: [],
    not_returnable: 0,
    warnings: [hostile],
    judging: [],
    returns: 1,
  },
  ...{ sentinels: [], judged: null, rehearsal: null },
  reported_at: "2026-01-02T03:04:06.000+00:00",
  votes: [
    {
      person: hostile,
      verdict: "approve",
      revision: 2,
      hash: "a".repeat(64),
      note: hostile,
      at: "2026-01-02T03:04:05Z",
    },
  ],
  groups: [
    {
      sha256: "b".repeat(64),
      lines: `a\n\`\`\`\n</pre>${hostile}`,
      devices: 1,
      first_devices: [hostile],
      cut: true,
    },
  ],
  wave_results: [{ number: 1, devices: 1, began_at: null, targets: noCounts() }],
  limits: null,
  ledger: { count: 2, first: 7, last: 9 },
  steps: [{ n: 1, at: "2026-01-02T03:04:05Z", what: "stopped", who: hostile, detail: hostile }],
  steps_cut: true,
};
const target: ChangeTarget = {
  ...{ device: hostile, host: hostile, wave: 1, state: "returned", reason: hostile, sha256: "b" },
  ...{ before_version: 1, after_version: 2, returnable: true, job_id: "j1", return_job_id: "j2" },
};

async function written(form: "md" | "html", pages: readonly (readonly ChangeTarget[])[]): Promise<string[]> {
  const pieces: string[] = [];
  async function* devices() {
    yield* pages;
  }
  for await (const piece of writeReport({ report, devices }, form).pieces) pieces.push(piece);
  return pieces;
}

test("no text of others is markup on the page, and its elements are closed in their order", async () => {
  const page = (await written("html", [[target]])).join("");
  const open: string[] = [];
  const allowed = "html head meta title link style body main h1 h2 p dl dt dd pre table thead tbody tr th td";
  for (const [, close, name = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    expect(allowed.split(" ")).toContain(name);
    if (["meta", "link"].includes(name)) continue;
    if (close === "") open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
  expect(page).not.toMatch(/<!--|<script|\u001b| on[a-z]+=|src=|href="(?!data:,)/i);
  expect(page).toContain("&#60;script&#62;alert(&#34;1&#34;)");
  expect(page).toContain("<dd>2 entries, 7 to 9</dd>");
  expect(page).toContain("2026-01-02 03:04:05+00:00");
});

test("no text of others ends its code in Markdown, or a cell", async () => {
  const text = (await written("md", [[target]])).join("");
  expect(text).not.toContain("\u001b");
  const outside = text
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "")
    .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
  expect(outside).not.toMatch(/[<>[\]&]|alert/);
  const rows = text.split("\n").filter((line) => line.startsWith("| 1 | "));
  for (const row of rows.filter((line) => line.includes("j2")))
    expect(row.replaceAll("\\|", "").split("|")).toHaveLength(11);
});

test("ten thousand devices are written in pieces", async () => {
  const page = Array.from({ length: 500 }, () => target);
  const pages = Array.from({ length: changeLimits.devices / 500 }, () => page);
  for (const form of ["md", "html"] as const) {
    const pieces = await written(form, pages);
    expect(pieces.join("").split("j2")).toHaveLength(changeLimits.devices + 1);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
  }
});
