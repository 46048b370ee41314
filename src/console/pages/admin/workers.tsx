/** Workers and their nodes. */
import * as v from "valibot";
import { Action } from "../../parts/action.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { useJobNews } from "../../reading/refreshed.ts";
import { to } from "../../route.ts";
import { worker } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

export function WorkersPage() {
  const { data, error, reload } = useLoad((signal) => ask(v.array(worker), "/worker", { signal }), []);
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
            { head: "device", cell: ({ device }) => device && <a href={to(["device", device])}>{device}</a> },
            { head: "status", cell: ({ status }) => status },
            { head: "node", cell: ({ node, hostname, pid }) => `${node} (${hostname}, ${pid})` },
            {
              head: "job",
              cell: ({ current_job: id }) => id && <a href={to(["job", id])}>{id.slice(-12)}</a>,
            },
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

function sorted(workers: readonly Worker[]): readonly Worker[] {
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
