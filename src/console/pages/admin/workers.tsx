/** Workers, their nodes, and what they do. */
import * as v from "valibot";
import { Action } from "../../parts/action.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DryRun } from "../../parts/status.tsx";
import { ask, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { useJobNews } from "../../reading/refreshed.ts";
import { to } from "../../route.ts";
import { firstLine, type JobRow, jobRow, jobRowFields, worker } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

const running = `/job?status=running&limit=200&include_result=false&fields=${jobRowFields}`;

export function WorkersPage() {
  const { data, error, reload } = useLoad(async (signal) => {
    const workers = await ask(v.array(worker), "/worker", { signal });
    const isBusy = workers.some(({ current_job: id }) => id);
    // What they are is more than what each of them does.
    const jobs: readonly JobRow[] = isBusy
      ? await ask(v.array(jobRow), running, { signal }).catch(() => [])
      : [];
    return workers.map((one) => ({ ...one, job: jobs.find(({ id }) => id === one.current_job) }));
  }, []);
  useJobNews(() => true, reload);
  const stop = (name: string) => async () => {
    await ask(v.unknown(), `/worker?name=${encodeURIComponent(name)}`, { method: "DELETE" });
    reload();
  };
  return (
    <>
      <h1>{text.nav.workers}</h1>
      <Problem error={error} />
      {data && <p>{countsOf(data)}</p>}
      {data && (
        <Table
          tools
          caption={text.nav.workers}
          rows={sorted(data)}
          keyOf={({ name }) => name}
          empty={text.nothing.other}
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "status", cell: ({ status }) => status },
            {
              head: "device",
              cell: ({ device: own, job }) => {
                const device = job?.device ?? own;
                return device ? <a href={to(["device", device])}>{device}</a> : job?.host;
              },
            },
            {
              head: "job",
              long: true,
              cell: ({ current_job: id, job }) =>
                id && (
                  <>
                    <a href={to(["job", id])}>{job ? firstLine(job) || job.operation : id.slice(-12)}</a>{" "}
                    <DryRun of={job?.dry_run} /> <span class="faint">{job?.label}</span>
                  </>
                ),
            },
            { head: "node", cell: ({ node, hostname, pid }) => `${node} (${hostname}, ${pid})` },
            { head: "succeeded", cell: ({ successful_job_count: count }) => count, number: true },
            { head: "failed", cell: ({ failed_job_count: count }) => count, number: true },
            { head: "last heartbeat", at: ({ last_heartbeat }) => last_heartbeat },
            {
              head: "",
              cell: ({ name }) =>
                may("admin") && (
                  <Action label="Stop" sure="Its jobs fail as WorkerLost. Stop it?" act={stop(name)} />
                ),
            },
          ]}
        />
      )}
    </>
  );
}

type Worker = v.InferOutput<typeof worker>;

/** What works, and what is wrong, comes first. */
const order = ["busy", "suspended", "dead", "idle"];

function sorted<T extends Worker>(workers: readonly T[]): readonly T[] {
  const place = ({ status }: Worker) => order.indexOf(status);
  return workers.toSorted(
    (a, b) => place(a) - place(b) || a.name.localeCompare(b.name, "en", { numeric: true }),
  );
}

/** `3 busy, 128 idle` */
function countsOf(workers: readonly Worker[]): string {
  return order
    .map((status) => [workers.filter((worker) => worker.status === status).length, status] as const)
    .filter(([count]) => count > 0)
    .map(([count, status]) => `${count} ${status}`)
    .join(", ");
}
