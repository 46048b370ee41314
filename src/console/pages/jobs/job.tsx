/** One job: the request, its timeline, live output, the result. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { clockTime } from "../../clock.ts";
import { formatDuration } from "../../duration.ts";
import { Action } from "../../parts/action.tsx";
import { ReturnPush } from "../../parts/changes/return-push.tsx";
import { Copy } from "../../parts/copy.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { OutputText } from "../../parts/output-text.tsx";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { PushIt } from "../../parts/push-it.tsx";
import { Retry } from "../../parts/retry.tsx";
import { DryRun, Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import { useEvents } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { go, to } from "../../route.ts";
import { type Job, job, placeOf, submitterText, ticket, transcript } from "../../shapes/shapes.ts";
import { shownCell, shownText } from "../../shown.ts";
import { toldIn } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { Failure, Outcome } from "./job-outcome.tsx";

const ended = ["finished", "failed", "cancelled"];
/** Maximum live output kept in the page. */
const maxLiveLength = 256 * 1024;

export function JobPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(
    (signal) => ask(v.array(job), `/job?id=${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  const [live, setLive] = useState("");
  const record = data?.[0];
  const over = record !== undefined && ended.includes(record.status);
  useEvents(
    over ? undefined : `/job/${encodeURIComponent(id)}/events`,
    {
      state: reload,
      output: (piece) => {
        const parsed = v.safeParse(v.looseObject({ text: v.string() }), piece);
        if (parsed.success) setLive((before) => (before + parsed.output.text).slice(-maxLiveLength));
      },
      progress: reload,
    },
    (name, event) => name === "state" && isEnd(event),
  );
  if (record === undefined)
    return <NotLoaded title={`Job ${id.slice(-12)}`} error={error} list={["jobs", text.nav.jobs]} />;
  return (
    <article>
      <h1>
        {placeOf(record)}{" "}
        <span aria-live="polite">
          <Status of={record.status} held={record.held} />
        </span>{" "}
        <DryRun of={record.dry_run} />
      </h1>
      <Steps of={record} done={reload} />
      <Problem error={error} />
      <Facts of={factsOf(record)} id={record.id} />
      <Failure of={record} />
      <Timeline of={record} />
      <Asked of={record} />
      {!over && live !== "" && (
        <section aria-label="Live output">
          <h2>Live</h2>
          <Pre class="terminal">{live}</Pre>
        </section>
      )}
      {record.checks && <Checks of={record.checks} />}
      <Outcome of={record} />
      {over && record.operation === "config" && record.result?.compared !== false && <Sent of={record} />}
      <Shell id={record.id} />
    </article>
  );
}

function isEnd(event: unknown): boolean {
  const state = v.safeParse(v.looseObject({ status: v.string() }), event);
  return state.success && ended.includes(state.output.status);
}

const factsOf = (of: Job): readonly Fact[] => [
  ["driver", `${of.driver} ${of.device_type ?? ""} ${of.operation}`],
  ["device", of.device && <a href={to(["device", of.device])}>{of.device}</a>],
  ["submitted by", submitterText(of.submitted_by)],
  ["waits for", of.waits_for && waitsFor(of.waits_for)],
  ["progress", of.progress && `${of.progress.bytes_transferred} of ${of.progress.total_bytes} bytes`],
  ["bulk", of.bulk_id && <a href={to(["bulk", of.bulk_id])}>{of.bulk_id.slice(-12)}</a>],
  ["retry of", of.retry_of && <a href={to(["job", of.retry_of])}>{of.retry_of.slice(-12)}</a>],
  ["label", of.label],
  ["ticket", of.ticket],
  ["note", of.note],
  ["tags", of.tags?.join(", ")],
];

function waitsFor({ reason, position, until }: NonNullable<Job["waits_for"]>): string {
  return [text.waitsFor[reason], until ? clockTime(until) : `place ${position}`].join(", ");
}

function Steps({ of, done }: { of: Job; done: () => void }) {
  if (!may("operate")) return null;
  const isHeld = of.held || of.status === "held";
  const cancel = (force: boolean) => async () => {
    await ask(v.unknown(), `/job?id=${of.id}${force ? "&force=true" : ""}`, { method: "DELETE" });
    done();
  };
  const release = async () => {
    await ask(v.unknown(), `/job/release?id=${of.id}`, { method: "POST" });
    done();
  };
  const error = of.result?.error;
  const isUnknown = of.operation === "config" && error?.outcome === "unknown";
  const doubts = isUnknown ? [{ id: of.id, name: placeOf(of), sent: error?.sent ?? [] }] : [];
  const retry = async (connection_args: object) => {
    const body = { connection_args, ...(isUnknown ? { force: true } : {}) };
    const newJob = await ask(ticket, `/job/${of.id}/retry`, { method: "POST", body });
    go(["job", newJob.id]);
  };
  return (
    <div class="actions">
      <PushIt id={of.id} ended={of.status === "finished"} />
      {isHeld && <Action label={text.release} sure="Release the job now?" act={release} />}
      {of.status === "queued" && (
        <Action
          quiet
          label={text.cancel}
          {...(isHeld ? { sure: "Cancel the held job?" } : {})}
          act={cancel(false)}
        />
      )}
      {of.status === "running" && (
        <Action
          label={text.cancel}
          sure={of.operation === "config" ? "Lines may have been sent. Stop it?" : "Stop it?"}
          act={cancel(true)}
        />
      )}
      {(of.status === "failed" || of.status === "cancelled") && (
        <Retry
          label={isUnknown ? text.retryAnyway : text.retryOne}
          sure={isUnknown ? text.sureOfUnknown : `Run it again on ${placeOf(of)}?`}
          doubts={doubts}
          send={retry}
        />
      )}
      {ended.includes(of.status) && of.started_at !== null && (
        <ReturnPush of={of} devices={of.device ? [of.device] : []} began={of.started_at} ticket={of.ticket} />
      )}
    </div>
  );
}

function Asked({ of }: { of: Job }) {
  const request = of.command ?? of.config;
  if (request === undefined) return null;
  const lines =
    typeof request === "string"
      ? request
      : Array.isArray(request)
        ? request.map(lineOf).join("\n")
        : shownText(request, 2);
  return (
    <section aria-label="Request">
      <h2>
        {of.command === undefined ? "Configuration" : "Commands"} <Copy value={lines} label="request" />
      </h2>
      <Pre class="lines">{lines}</Pre>
    </section>
  );
}

/** What was sent to the device, on request: it may be a megabyte. */
function Sent({ of }: { of: Job }) {
  const [sent, setSent] = useState<v.InferOutput<typeof transcript>>();
  if (sent === undefined) {
    const show = async () => setSent(await ask(transcript, `/job/${encodeURIComponent(of.id)}/sent`));
    return (
      <p class="actions">
        <Action quiet label={text.sent} act={show} />
      </p>
    );
  }
  const { lines, dialogue, difference, sha256 } = sent;
  return (
    <section aria-label="What was sent">
      <h2>
        Sent <Copy value={lines.join("\n")} label="lines" />
      </h2>
      <OutputText of={lines.join("\n")} label="lines" />
      <h2>Answered {dialogue !== null && <Copy value={dialogue} label="answers" />}</h2>
      {dialogue === null ? (
        <p class="empty">Not known: the worker was lost.</p>
      ) : (
        <OutputText of={dialogue} label="answers" />
      )}
      {difference && (
        <>
          <h2>
            Difference <Copy value={difference} label="difference" />
          </h2>
          <OutputText of={difference} label="difference" />
        </>
      )}
      <p class="faint">
        SHA-256, as in the audit trail: <code>{sha256}</code>
      </p>
    </section>
  );
}

/** The equivalent shell command. */
function Shell({ id }: { id: string }) {
  const lines = [`patchbay job ${id}`, `curl -H "X-API-KEY: $KEY" '${location.origin}/job?id=${id}'`].join(
    "\n",
  );
  return (
    <section aria-label="From a shell">
      <h2>
        From a shell <Copy value={lines} label="commands" />
      </h2>
      <Pre>{lines}</Pre>
    </section>
  );
}

const lineOf = (line: unknown) => shownText(line, 2);

/** Timeline of a job: submitted, started, ended, webhook delivered. */
const attempt = v.looseObject({
  at: v.string(),
  status: v.optional(v.nullable(v.union([v.number(), v.string()]))),
  error: v.optional(v.string()),
});

interface Step {
  readonly what: string;
  readonly at: string | null;
}

function Timeline({ of }: { of: Job }) {
  const steps: Step[] = [
    { what: `submitted to ${of.queue}, ${clockTime(of.created_at)}`, at: of.created_at },
  ];
  if (of.started_at !== null) {
    const waited = of.queue_time === null ? "" : ` after ${formatDuration(of.queue_time)}`;
    steps.push({ what: `attempt ${of.attempt} on ${of.worker ?? "a worker"}${waited}`, at: of.started_at });
  }
  if (of.ended_at !== null) {
    const ran = of.duration === null ? "" : ` after ${formatDuration(of.duration)}`;
    steps.push({ what: `${of.status}${ran}`, at: of.ended_at });
  }
  for (const entry of of.webhook?.attempts ?? []) {
    const read = v.safeParse(attempt, entry);
    if (!read.success) continue;
    const { at, status, error } = read.output;
    steps.push({ what: `webhook: ${error ?? status ?? of.webhook?.status}`, at });
  }
  return (
    <ol class="timeline" aria-label="Timeline">
      {steps.map(({ what, at }) => (
        <li key={`${what} ${at}`}>
          <When at={at} /> {what}
        </li>
      ))}
    </ol>
  );
}

type Report = NonNullable<Job["checks"]>;

function Checks({ of }: { of: Report }) {
  const rows = [
    ...of.before.map((check, index) => ({ ...check, when: "before", index })),
    ...of.after.map((check, index) => ({ ...check, when: "after", index })),
  ];
  return (
    <section aria-label="Checks">
      <h2>Checks</h2>
      <p>{wordOf(of)}</p>
      <Table
        caption="Checks"
        rows={rows}
        keyOf={({ when, index }) => `${when} ${index}`}
        empty={text.nothing.other}
        columns={[
          { head: "when", cell: ({ when }) => when },
          {
            head: "state",
            cell: ({ ok }) => <State of={ok} />,
          },
          { head: "check", long: true, cell: ({ name, command }) => name ?? command },
          { head: "found", long: true, cell: ({ value }) => <code>{shownCell(value)}</code> },
          { head: "expected", long: true, cell: ({ expected }) => <code>{wordsOf(expected)}</code> },
          { head: "reason", long: true, cell: ({ message }) => message },
        ]}
      />
    </section>
  );
}

function State({ of }: { of: boolean | null }) {
  if (of === null) return <span class="status held">– not evaluated</span>;
  return (
    <span class={`status ${of ? "finished" : "failed"}`}>
      <span aria-hidden="true">{of ? "✓" : "✕"}</span> {of ? "ok" : "failed"}
    </span>
  );
}

/** The message says whether the push was rolled back, and ends with the method. */
function wordOf({ undone, how, message }: Report): string {
  const sentence = message ?? "";
  return undone === true && how ? `${sentence.replace(/\.$/, "")} (${how}).` : sentence;
}

const wordsOf = (expected: unknown) =>
  typeof expected === "object" && expected !== null ? toldIn(expected) : shownCell(expected);
