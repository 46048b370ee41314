/** Schedules: next firing and last result of each; details with history; a form for a new one. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { Action } from "../../parts/action.tsx";
import { Copy } from "../../parts/copy.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { NextTimes } from "../../parts/forms/times.tsx";
import { filtered, Mine } from "../../parts/lists/mine.tsx";
import { More } from "../../parts/lists/more.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Pre } from "../../parts/pre.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Ended, Signed } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import type { Change } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { useJobNews } from "../../reading/refreshed.ts";
import { go, to } from "../../route.ts";
import { firing, type Schedule, schedule, toldFiring } from "../../shapes/schedules.ts";
import { submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { ScheduleChange } from "./schedule-change.tsx";
import { simpleWork } from "./schedule-form.ts";
import { ScheduleForm } from "./schedule-new.tsx";

const maxSchedules = 500;
/** The next times stand below them. */
const firingsAtOnce = 10;
const isOfSchedule = ({ submitted_by }: Change) => submitted_by?.kind === "schedule";

export function SchedulesPage() {
  const path = filtered(`/schedule?limit=${maxSchedules}`);
  const { data, error, reload } = useLoad((signal) => ask(v.array(schedule), path, { signal }), [path]);
  useJobNews(isOfSchedule, reload);
  return (
    <>
      <h1>{text.nav.schedules}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        {may("operate") && (
          <a class="button" href={to(["schedule"])}>
            {text.schedules.make}
          </a>
        )}
        <Mine />
      </form>
      <Problem error={error} />
      {data && (
        <Table
          tools
          caption={text.nav.schedules}
          rows={data}
          keyOf={({ id }) => id}
          empty={text.schedules.none}
          columns={[
            {
              head: "name",
              cell: ({ id, name }) => <a href={to(["schedule", id])}>{name}</a>,
              value: ({ name }) => name,
            },
            { head: "state", cell: ({ state }) => <State of={state} />, value: ({ state }) => state },
            { head: "what", cell: ({ what }) => what.kind },
            { head: "when", cell: (row) => <code>{timeOf(row)}</code> },
            { head: "next", at: ({ next }) => next[0] },
            {
              head: "last",
              cell: ({ last }) =>
                last && (
                  <>
                    <Ended of={last} /> <When at={last.due_at} />
                  </>
                ),
            },
            { head: "owner", cell: ({ owner }) => ownerText(owner) },
          ]}
        />
      )}
    </>
  );
}

const ownerText = ({ kind, name }: Schedule["owner"]) => submitterText({ kind, name });

export function SchedulePage({ id }: { id: string }) {
  return id === "" ? <ScheduleForm /> : <Known id={id} />;
}

function Known({ id }: { id: string }) {
  const path = `/schedule/${encodeURIComponent(id)}`;
  const { data, error, reload } = useLoad((signal) => ask(schedule, path, { signal }), [path]);
  const [changing, setChanging] = useState(false);
  const [room, setRoom] = useState(firingsAtOnce);
  const history = useLoad((signal) => ask(v.array(firing), `${path}/firing`, { signal }), [path]);
  const reloadAll = () => {
    reload();
    history.reload();
  };
  useJobNews(isOfSchedule, reloadAll);
  if (data === undefined)
    return <NotLoaded title={`Schedule ${id}`} error={error} list={["schedules", text.nav.schedules]} />;
  const requestText = stringifyExact(data.what, 2);
  const simple = simpleWork(data.what);
  const leaveForm = () => {
    setChanging(false);
    reloadAll();
  };
  if (changing)
    return (
      <article>
        <h1>{data.name}</h1>
        <ScheduleChange of={data} path={path} done={leaveForm} />
      </article>
    );
  return (
    <article>
      <h1>
        {data.name} <State of={data.state} />
      </h1>
      {may("operate") && <Steps of={data} path={path} done={reloadAll} change={() => setChanging(true)} />}
      <p>
        {data.what.kind} · <code>{timeOf(data)}</code> · owner {ownerText(data.owner)} · created{" "}
        <When at={data.created_at} />
        {data.why ? ` · ${data.why}` : ""}
      </p>
      <Last of={data.last} />
      <Facts of={factsOf(data)} />
      <h2>History</h2>
      <Problem error={history.error} />
      <Table
        caption="History"
        rows={(history.data ?? []).slice(0, room)}
        keyOf={({ due_at, manual }) => `${due_at} ${manual}`}
        empty={text.schedules.noHistory}
        columns={[
          { head: "due", at: ({ due_at }) => due_at },
          {
            head: "status",
            cell: (of) => (
              <>
                <Ended of={of} /> {of.manual && "(by hand)"}
              </>
            ),
          },
          {
            head: "bulk",
            cell: ({ bulk_id: bulk }) => bulk && <a href={to(["bulk", bulk])}>{bulk.slice(-12)}</a>,
          },
          { head: "reason", long: true, cell: ({ reason }) => reason },
        ]}
      />
      <More act={(history.data ?? []).length > room && (() => setRoom(Infinity))} />
      <h2>Next</h2>
      <NextTimes next={data.next} zone={data.time_zone} />
      <h2>What</h2>
      {simple && (
        <>
          <Facts
            of={[
              [text.filters.select, simple.select],
              ["devices", simple.hosts.replaceAll("\n", ", ")],
            ]}
          />
          <Pre>{simple.lines}</Pre>
        </>
      )}
      <details open={simple === undefined}>
        <summary>
          {text.form.json} <Copy value={requestText} label="request" />
        </summary>
        <Pre>{requestText}</Pre>
      </details>
    </article>
  );
}

/** What came of the last firing, if there is something to say. */
function Last({ of }: { of: Schedule["last"] }) {
  if (of === null) return null;
  const { look } = toldFiring(of);
  if (!of.reason && look !== "problem") return null;
  return (
    <p class={look}>
      <Ended of={of} /> <When at={of.due_at} />
      {of.reason && `: ${of.reason}`}
    </p>
  );
}

const factsOf = (of: Schedule): readonly Fact[] => [
  ["next", of.next[0] && <When at={of.next[0]} />],
  ["window", of.window?.join(", ")],
  [text.schedules.overlap, of.overlap],
  ["not before", of.not_before],
  ["not after", of.not_after],
  ["label", of.label],
  ["ticket", of.ticket],
];

interface StepsProps {
  readonly of: Schedule;
  readonly path: string;
  readonly done: () => void;
  readonly change: () => void;
}

function Steps({ of, path, done, change }: StepsProps) {
  const tell = (step: "pause" | "resume" | "run") => async () => {
    await ask(v.unknown(), `${path}/${step}`, { method: "POST", body: {} });
    done();
  };
  const remove = async () => {
    await ask(v.unknown(), path, { method: "DELETE" });
    go(["schedules"]);
  };
  return (
    <p class="actions">
      {of.state === "active" && <Action quiet label={text.schedules.pause} act={tell("pause")} />}
      {of.state === "paused" && <Action label={text.schedules.resume} act={tell("resume")} />}
      {of.state !== "stopped" && (
        <Action label={text.schedules.run} sure={`Run ${of.name} now?`} act={tell("run")} />
      )}
      <button type="button" class="quiet" onClick={change}>
        {text.inventory.change}
      </button>
      <Action label={text.remove} sure={`Remove ${of.name} and its history?`} act={remove} />
    </p>
  );
}

/** The state as text; a stopped schedule is highlighted. */
function State({ of }: { of: string }) {
  const isActive = of === "active";
  return <Signed sign={isActive ? "✓" : "‖"} of={of} like={isActive ? "finished" : "held"} />;
}

function timeOf({ cron, time_zone, every, at }: Schedule): string {
  if (cron !== undefined) return [cron, time_zone].filter(Boolean).join(" ");
  return every === undefined ? (at ?? "") : `every ${every}`;
}
