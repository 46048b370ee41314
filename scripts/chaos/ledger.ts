/** Kills a node that pushes: each push that was sent has exactly one entry in the ledger, and the chain is whole. */
import * as v from "valibot";
import { ledgerRecord, ledgerVerdict } from "../../src/api/ledger/ledger.ts";
import { checkExport } from "../../src/ledger/export-check.ts";
import { must } from "./ask.ts";
import { type KillOptions, type KillOutcome, runKills } from "./kills.ts";
import { apiKey, type ChaosNode } from "./node.ts";

export interface LedgerChaosReport {
  readonly killed: number;
  readonly jobs: number;
  /** Entries of pushes, by how they ended. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly entries: number;
  readonly breaches: readonly string[];
}

const job = v.object({
  id: v.string(),
  status: v.string(),
  result: v.nullable(
    v.looseObject({ error: v.nullable(v.looseObject({ outcome: v.optional(v.string()) })) }),
  ),
});

const markOf = (line: string) => /description (push-\d+)$/.exec(line.trim())?.[1];

export function runLedger(options: KillOptions): Promise<LedgerChaosReport> {
  return runKills(options, {
    name: "ledger",
    platform: "cisco_ios",
    request: (round) => ({
      path: "/device/bulk",
      body: {
        select: "tag:lab",
        config: ["interface Loopback1", `description push-${round}`],
        options: { ticket: `CHG-${round}` },
      },
    }),
    isOfBulk: (line) => markOf(line) !== undefined,
    judge,
  });
}

async function judge({ node, simulators, bulks }: KillOutcome): Promise<Omit<LedgerChaosReport, "killed">> {
  const breaches: string[] = [];
  const outcomes: Record<string, number> = {};
  const seen = new Map<string, number>();
  const marks = simulators.flatMap(({ entered }) => entered.flatMap(({ line }) => markOf(line) ?? []));
  for (const mark of marks) seen.set(mark, (seen.get(mark) ?? 0) + 1);
  let jobs = 0;
  let lines = 0;
  for (const [round, id] of bulks.entries()) {
    const all = v.parse(v.array(job), (await must(node, "GET", `/job?bulk_id=${id}&limit=500`)).data);
    const query = `/ledger?ticket=CHG-${round}&limit=500`;
    const records = v.parse(v.array(ledgerRecord), (await must(node, "GET", query)).data);
    jobs += all.length;
    for (const { id, status, result } of all) {
      const [record, ...others] = records.filter(({ entry }) => entry.job === id);
      if (others.length > 0) breaches.push(`the push ${id} has ${1 + others.length} entries`);
      const outcome = result?.error?.outcome === "unknown" ? "unknown" : status;
      if (record === undefined) {
        if (outcome !== "failed") breaches.push(`the push ${id} (${outcome}) has no entry`);
        continue;
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (record.entry.outcome !== outcome)
        breaches.push(`the push ${id} ended as ${outcome}, its entry says ${record.entry.outcome}`);
    }
    // The line may have reached the device without its end being seen, but never twice, nor without an entry.
    const sent = seen.get(`push-${round}`) ?? 0;
    lines += sent;
    if (sent > records.length) breaches.push(`round ${round}: ${sent} lines, ${records.length} entries`);
  }
  const { entries, faults } = await verified(node);
  if (lines === 0) breaches.push("nothing was sent");
  return { jobs, outcomes, entries, breaches: [...breaches, ...faults] };
}

/** By the service, and from an export. */
async function verified(node: ChaosNode): Promise<{ entries: number; faults: string[] }> {
  const faults: string[] = [];
  let entries = 0;
  for (let next: string | null | undefined; next !== null; ) {
    const answer = await must(node, "POST", "/ledger/verify", { next });
    const piece = v.parse(ledgerVerdict, answer.data);
    entries += piece.entries;
    faults.push(...piece.breaks.map(({ seq, message }) => `${seq}: ${message}`));
    faults.push(...piece.missing.map((id) => `the push ${id} is missing`));
    next = piece.next;
  }
  await must(node, "POST", "/ledger/checkpoint");
  const response = await fetch(`${node.url}/ledger/export`, { headers: { "X-API-KEY": apiKey } });
  const result = await checkExport(linesOf(await response.text()), { checkpoints: [] });
  faults.push(...result.breaks.map(({ seq, message }) => `export, ${seq}: ${message}`));
  if (result.entries !== entries || result.covered !== entries)
    faults.push(`of ${entries} entries ${result.entries} are exported and ${result.covered} signed`);
  return { entries, faults };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split("\n");
}
