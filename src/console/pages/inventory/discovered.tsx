/** One discovery: progress, and what each device reported; a detected platform can be saved to the inventory. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as v from "valibot";
import type { FactName } from "../../../api/inventory/facts.ts";
import { Action } from "../../parts/action.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Counts, Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask } from "../../reading/api.ts";
import { to } from "../../route.ts";
import { type Entry, entry } from "../../shapes/inventory.ts";
import type { JobRow } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { useWatchedBulk } from "../jobs/bulk-watched.ts";
import { type Findings, openNames, proposedPlatform, selectorOf, withAnswers } from "./findings.ts";
import { changesInventory } from "./inventory-lists.tsx";

const maxShown = 500;
/** The result of a device is stored a moment after its job has ended. */
const againMs = 1_000;

export function Discovered({ id }: { id: string }) {
  const { bulk, rows, error } = useWatchedBulk(id);
  const visibleRows = rows.slice(0, maxShown);
  const { findings, problem, take } = useFindings(visibleRows);
  if (bulk === undefined)
    return error === undefined ? <p class="empty">{text.loading}</p> : <Problem error={error} />;
  return (
    <article>
      <h1>{bulk.label ?? text.nav.discover}</h1>
      <p>
        {bulk.select && <code>{bulk.select}</code>} · {bulk.total} devices · {bulk.status} ·{" "}
        <When at={bulk.created_at} /> · <a href={to(["bulk", id])}>{text.discover.bulk}</a>
      </p>
      <Counts of={bulk.counts} total={bulk.total} />
      <Problem error={problem} />
      <Told rows={visibleRows} findings={findings} take={take} />
      {rows.length > maxShown && <p class="faint">{text.discover.more}</p>}
    </article>
  );
}

interface ToldProps {
  readonly rows: readonly JobRow[];
  readonly findings: Findings;
  readonly take: (device: string, entry: Entry) => void;
}

const facts = ["vendor", "model", "version", "serial", "hostname"] as const;

function Told({ rows, findings, take }: ToldProps) {
  const entryOf = ({ device }: JobRow) => (device === undefined ? undefined : findings.get(device)?.entry);
  return (
    <Table
      caption="Findings"
      rows={rows}
      keyOf={({ id }) => id}
      empty={text.nothing.jobs}
      columns={[
        {
          head: "device",
          cell: ({ device, host }) => (device ? <a href={to(["device", device])}>{device}</a> : host),
        },
        {
          head: "job",
          cell: ({ id, status, held, error_type }) => (
            <a href={to(["job", id])}>
              <Status of={status} held={held} /> {error_type}
            </a>
          ),
        },
        { head: "platform", cell: (row) => entryOf(row)?.platform },
        { head: "found", cell: (row) => factOf(entryOf(row), "platform") },
        ...facts.map((name) => ({ head: name, cell: (row: JobRow) => factOf(entryOf(row), name) })),
        {
          head: "",
          cell: (row) => <Take of={entryOf(row)} take={(entry) => take(row.device ?? "", entry)} />,
        },
      ]}
    />
  );
}

function factOf(entry: Entry | undefined, name: FactName): string | null {
  return entry?.facts?.[name] ?? null;
}

/** Rejected if someone has changed the device meanwhile. */
function Take({ of, take }: { of: Entry | undefined; take: (entry: Entry) => void }) {
  const platform = of && proposedPlatform(of);
  if (of === undefined || platform === undefined || !changesInventory()) return null;
  const act = async () => {
    const path = `/inventory/device/${encodeURIComponent(of.name)}`;
    const headers = { "If-Match": `"${String(of.revision)}"` };
    await ask(v.unknown(), path, { method: "PATCH", body: { platform }, headers });
    take({ ...of, platform });
  };
  return <Action label={`${text.discover.take} ${platform}`} act={act} />;
}

/** Polls for devices without a result, a few at a time. */
function useFindings(rows: readonly JobRow[]) {
  const [findings, setFindings] = useState<Findings>(new Map());
  const [problem, setProblem] = useState<unknown>();
  const latest = useRef(rows);
  latest.current = rows;
  const isOpen = openNames(rows, findings).length > 0;
  useEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const fetchFindings = async () => {
      const { names, select } = selectorOf(openNames(latest.current, findings));
      const search = new URLSearchParams({ select, limit: String(names.length) });
      const path = `/inventory/device?${search}`;
      const note = (error: unknown, entries: readonly Entry[]) => {
        if (leaving.signal.aborted) return;
        setProblem(error);
        setFindings(withAnswers(findings, names, entries));
      };
      await ask(v.array(entry), path, { signal: leaving.signal }).then(
        (entries) => note(undefined, entries),
        (error: unknown) => note(error, []),
      );
    };
    const timer = setTimeout(() => void fetchFindings(), againMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [isOpen, findings]);
  const take = (device: string, entry: Entry) =>
    setFindings((now) => new Map(now).set(device, { entry, asked: now.get(device)?.asked ?? 0 }));
  return { findings, problem, take };
}
