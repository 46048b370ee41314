/** What a device is like now: seen, logged in, its configuration, its latest jobs; and what can be done with it. */
import * as v from "valibot";
import { statesOf } from "../../../api/history/history.ts";
import { Action } from "../../parts/action.tsx";
import { States } from "../../parts/history/states.tsx";
import { Take } from "../../parts/history/take.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DryRun, Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ApiError, ask, holds, may } from "../../reading/api.ts";
import { streaming } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { useRefreshed } from "../../reading/refreshed.ts";
import { go, to } from "../../route.ts";
import { configured } from "../../shapes/history.ts";
import type { Entry } from "../../shapes/inventory.ts";
import { bulkAnswer, firstLine, jobRow, jobRowFields, tested } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

const words = text.device;

/** Exactly this device, disabled or not. */
const only = (name: string) => `name:${JSON.stringify(name)} enabled:*`;

export function DeviceActions({ of: { name } }: { of: Entry }) {
  if (!may("operate")) return null;
  const discover = async () => {
    const body = { select: only(name) };
    const { bulk_id } = await ask(bulkAnswer, "/inventory/discover", { method: "POST", body });
    go(["discover", bulk_id]);
  };
  return (
    <>
      <a class="button" href={to(["run"], { select: only(name) })}>
        {text.nav.run}
      </a>
      <Test device={name} />
      <Action quiet label={words.discover} act={discover} />
      {holds("history") && <Take quiet of={{ devices: [name] }} label={words.take} />}
    </>
  );
}

function Test({ device }: { device: string }) {
  const test = async () => {
    const body = { device };
    const { success, error_message } = await ask(tested, "/device/test-connection", { method: "POST", body });
    if (!success) throw new ApiError(200, error_message ?? text.failed, undefined);
  };
  return <Action quiet label={words.test} done={words.tested} act={test} />;
}

export function DeviceNow({ of: { name, facts } }: { of: Entry }) {
  const jobs = useLoad(
    (signal) => {
      const query = { device: name, limit: "8", include_result: "false", fields: jobRowFields };
      return ask(v.array(jobRow), `/job?${new URLSearchParams(query)}`, { signal });
    },
    [name, streaming.value],
  );
  const history = useLoad(
    async (signal) =>
      holds("history")
        ? (
            await ask(v.array(configured), `/history/device?${new URLSearchParams({ select: only(name) })}`, {
              signal,
            })
          )[0]
        : undefined,
    [name],
  );
  useRefreshed(() => {
    jobs.reload();
    history.reload();
  });
  const { seen_at, login_failed_at, login_error } = facts ?? {};
  const refused = login_failed_at && (!seen_at || Date.parse(login_failed_at) > Date.parse(seen_at));
  return (
    <div class="columns">
      <section aria-label={words.state}>
        <h2>{words.state}</h2>
        <Problem error={jobs.error} />
        <dl class="pairs">
          <dt>{words.seen}</dt>
          <dd>
            <When at={seen_at} />
          </dd>
          {refused && (
            <>
              <dt>{words.login}</dt>
              <dd class="failed">
                ✕ {login_error} <When at={login_failed_at} />
              </dd>
            </>
          )}
          {history.data && (
            <>
              <dt>
                <a href={to(["history", name])}>{text.history.configuration}</a>
              </dt>
              <dd>
                <States of={history.data} />{" "}
                {statesOf(history.data).length === 0 && <When at={history.data.last_good_at} />}
              </dd>
              <dt>{words.versions}</dt>
              <dd>
                <a href={to(["history", name])}>{history.data.versions}</a>
                {history.data.latest && (
                  <>
                    {words.changed}
                    <When at={history.data.latest.taken_at} /> <ins>+{history.data.latest.added}</ins>{" "}
                    <del>−{history.data.latest.removed}</del>
                  </>
                )}
              </dd>
              {history.data.versions > 1 && (
                <>
                  <dt />
                  <dd>
                    <a href={to(["history", name], lastTwo(history.data.latest?.version))}>
                      {words.difference}
                    </a>
                  </dd>
                </>
              )}
            </>
          )}
        </dl>
      </section>
      <section aria-label={words.jobs}>
        <h2>
          <a href={to(["jobs"], { device: name })}>{words.jobs}</a>
        </h2>
        <Table
          caption={words.latest}
          rows={jobs.data ?? []}
          keyOf={({ id }) => id}
          empty={jobs.data ? words.noJobs : text.loading}
          columns={[
            { head: "status", cell: ({ status, held }) => <Status of={status} held={held !== undefined} /> },
            {
              head: "what",
              long: true,
              cell: (row) => (
                <>
                  <a class="cut brief" href={to(["job", row.id])} title={firstLine(row)}>
                    {firstLine(row) || row.operation}
                  </a>{" "}
                  <DryRun of={row.dry_run} /> <span class="failed">{row.error_type}</span>
                </>
              ),
            },
            { head: "when", at: ({ created_at }) => created_at },
          ]}
        />
      </section>
    </div>
  );
}

const lastTwo = (newest = 0) => ({ from: String(newest - 1), version: String(newest) });
