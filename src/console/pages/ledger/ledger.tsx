/** The ledger: entries filtered by the URL's parameters, a verification on request, and what was changed outside. */

import { useState } from "preact/hooks";
import { actorWords, changeWords } from "../../../api/ledger/ledger.ts";
import { Action } from "../../parts/action.tsx";
import { Filters, filtersOfPlace } from "../../parts/lists/filters.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, holds, reachesAll } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { usePaged } from "../../reading/paged.ts";
import { to } from "../../route.ts";
import * as shapes from "../../shapes/ledger.ts";
import { counted } from "../../text/counted.ts";
import { text } from "../../text/text.ts";

const words = ["kind", "device", "actor", "job", "ticket", "change"] as const;

export function LedgerPage() {
  const query = filtersOfPlace(words);
  const readsVersions = holds("history");
  return (
    <>
      <h1>{text.nav.ledger}</h1>
      <p class="faint">{text.ledger.about}</p>
      <Newest />
      {readsVersions && reachesAll() && <Verification />}
      <Filters words={words} />
      <Entries key={query} query={query} />
      {readsVersions && <Outside />}
    </>
  );
}

/** The newest checkpoint; before the first one there is none. */
function Newest() {
  const { data } = useLoad((signal) => ask(shapes.checkpoint, "/ledger/checkpoint", { signal }), []);
  if (data === undefined) return null;
  const { seq, at } = data.checkpoint;
  return (
    <p class="faint">
      {text.ledger.signedUpTo} {seq}, <When at={at} />
    </p>
  );
}

interface Verdict {
  readonly entries: number;
  readonly breaks: readonly shapes.LedgerBreak[];
  readonly missing: readonly string[];
  readonly unapproved: readonly shapes.UnapprovedPush[];
  readonly outside: number;
  readonly isDone: boolean;
}

const unverified: Verdict = {
  ...{ entries: 0, breaks: [], missing: [], unapproved: [], outside: 0 },
  isDone: false,
};

/** Piece by piece, as the service gives them. */
function Verification() {
  const [verdict, setVerdict] = useState<Verdict>();
  const verify = async () => {
    let known = unverified;
    for (let next: string | null | undefined; next !== null; ) {
      const piece: shapes.Verdict = await ask(shapes.verdict, "/ledger/verify", {
        method: "POST",
        body: next === undefined ? {} : { next },
      });
      next = piece.next;
      known = {
        entries: known.entries + piece.entries,
        breaks: [...known.breaks, ...piece.breaks],
        missing: [...known.missing, ...piece.missing],
        unapproved: [...known.unapproved, ...piece.unapproved],
        outside: known.outside + piece.outside.length,
        isDone: next === null,
      };
      setVerdict(known);
    }
  };
  return (
    <section aria-label={text.ledger.verify} aria-live="polite">
      <Action label={text.ledger.verify} act={verify} /> {verdict && <Verdicts {...verdict} />}
    </section>
  );
}

function Verdicts({ entries, breaks, missing, unapproved, outside, isDone }: Verdict) {
  const verdicts = text.ledger.verdicts;
  const lacks = missing.length + unapproved.length;
  return (
    <>
      <p class="badges">
        <span class={breaks.length > 0 ? "badge bad" : "badge good"}>
          {breaks.length > 0 ? verdicts.broken : verdicts.intact}
        </span>{" "}
        {/* What was changed at a device itself is no fault of the ledger. */}
        {isDone && (
          <span class={`badge ${lacks > 0 ? "bad" : outside > 0 ? "" : "good"}`}>
            {lacks + outside > 0 ? verdicts.incomplete : verdicts.complete}
          </span>
        )}{" "}
        {verdicts.entries(entries)}
        {isDone ? "" : " …"}
      </p>
      {breaks.length + lacks > 0 && (
        <ul>
          {breaks.map(({ seq, fault, message }) => (
            <li key={`${fault} ${seq}`}>
              {seq}: {message}
            </li>
          ))}
          {unapproved.map(({ seq, change, message }) => (
            <li key={`unapproved ${seq}`}>
              {seq}: <a href={to(["change", change])}>{change}</a>: {message}
            </li>
          ))}
          {missing.map((id) => (
            <li key={id}>
              <a href={to(["job", id])}>{id}</a> {verdicts.missing}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Entries({ query }: { query: string }) {
  const { rows, error, fetchMore } = usePaged(shapes.entry, `/ledger?${query}`);
  return (
    <>
      <Problem error={error} />
      {rows && (
        <Table
          tools
          caption={text.nav.ledger}
          rows={rows}
          keyOf={({ entry }) => String(entry.seq)}
          empty={text.nothing.other}
          columns={[
            {
              head: "number",
              value: ({ entry }) => entry.seq,
              cell: ({ entry, hash }) => <span title={hash}>{entry.seq}</span>,
              number: true,
            },
            { head: "when", at: ({ entry }) => entry.at },
            { head: "kind", cell: ({ entry }) => entry.kind },
            { head: "who", cell: (record) => <Who {...record} /> },
            { head: "from", cell: ({ entry }) => entry.actor.address },
            { head: "device", cell: ({ entry }) => entry.device ?? entry.host },
            {
              head: "job",
              cell: ({ entry: { job } }) => job && <a href={to(["job", job])}>{job.slice(-12)}</a>,
            },
            {
              head: "change",
              cell: ({ entry: { change } }) =>
                change && <a href={to(["change", change])}>{change.slice(-12)}</a>,
            },
            { head: "ticket", cell: ({ entry }) => entry.ticket },
            { head: "detail", long: true, cell: (record) => detailOf(record) },
          ]}
        />
      )}
      <More act={fetchMore} />
    </>
  );
}

function Who(record: shapes.Entry) {
  return (
    <span class="cut who" title={record.entry.actor.key}>
      {actorWords(record)}
    </span>
  );
}

/** The change itself has a column. */
const detailOf = (record: shapes.Entry) =>
  [
    outcomeOf(record),
    changeWords(record)?.replace(/ of change [\da-f-]{36}/, ""),
    record.about ?? record.entry.detail ?? record.entry.error,
  ]
    .filter(Boolean)
    .join(": ");

/** `finished, 2 lines, version 3 → 4`. */
function outcomeOf({ entry, after }: shapes.Entry): string {
  const lines = entry.sent?.lines;
  const versions = [entry.before?.version, after?.version].filter((number) => number !== undefined);
  return [
    entry.outcome,
    lines !== undefined && counted(lines, "line"),
    versions.length > 0 && `version ${versions.join(" → ")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function Outside() {
  const { rows, error, fetchMore } = usePaged(shapes.outside, "/ledger/outside?limit=50");
  return (
    <section aria-label={text.ledger.outside}>
      <h2>{text.ledger.outside}</h2>
      <p class="faint">{text.ledger.outsideAbout}</p>
      <Problem error={error} />
      {rows && (
        <Table
          caption={text.ledger.outside}
          rows={rows}
          keyOf={({ device, part, version }) => `${device} ${part} ${version}`}
          empty={text.ledger.noneOutside}
          columns={[
            { head: "device", cell: ({ device }) => <a href={to(["history", device])}>{device}</a> },
            {
              head: "version",
              cell: ({ version, part }) => (part === "running" ? version : `${version} ${part}`),
            },
            { head: "seen", at: ({ taken_at }) => taken_at },
            {
              head: "unchanged until",
              cell: ({ unchanged_until }) => unchanged_until !== null && <When at={unchanged_until} />,
            },
            { head: "by, on the device", cell: ({ by_on_device }) => by_on_device },
            { head: "lines", cell: ({ added, removed }) => `+${added} −${removed}` },
          ]}
        />
      )}
      <More act={fetchMore} />
    </section>
  );
}
