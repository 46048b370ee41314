/** `patchbay workers`: lists workers. */
import type { Command } from "commander";
import { plural } from "../../../client/output/numbers.ts";
import { type Worker, workerList } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface WorkersFlags extends ServerFlags, FormFlags {
  readonly status?: string;
  readonly host?: string;
  readonly node?: string;
  readonly queue?: string;
}

const columns: Columns<Worker> = {
  name: ({ name }) => name,
  device: ({ device }) => device ?? "",
  status: ({ status }) => status,
  job: ({ current_job }) => current_job ?? "",
  succeeded: ({ successful_job_count }) => String(successful_job_count),
  failed: ({ failed_job_count }) => String(failed_job_count),
  heartbeat: ({ last_heartbeat }) => clockTime(last_heartbeat),
};

export function defineWorkers(parent: Command): void {
  const command = clientCommand(parent, "workers", "list workers")
    .option("--status <status>", "idle, busy, suspended or dead")
    .option("--host <host>", "of one device, by its name or address")
    .option("--node <name>", "of one node")
    .option("--queue <queue>", "of one queue: fifo, or pinned_<host> of one device");
  withForms(withServer(command)).action((flags: WorkersFlags) =>
    runToExit((surroundings) => listWorkers(flags, surroundings)),
  );
}

async function listWorkers(flags: WorkersFlags, surroundings: Surroundings): Promise<number> {
  const { api, terminal } = openSession(flags, surroundings);
  const { status, host, node, queue } = flags;
  const workers = await api.call("/worker", workerList, { query: { status, host, node, queue } });
  const sorted = workers.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      (a.device ?? a.name).localeCompare(b.device ?? b.name, "en", { numeric: true }),
  );
  await printList(sorted, columns, flags, terminal);
  if (flags.json !== true && flags.csv !== true && workers.length > 0) terminal.note(countsLine(workers));
  return 0;
}

/** What works, and what is wrong, comes first. */
const order = ["busy", "suspended", "dead", "idle"];
const placeOf = ({ status }: Worker) => (order.includes(status) ? order.indexOf(status) : order.length);

/** `131 workers: 3 busy, 128 idle; 120 fifo, 11 pinned.` */
function countsLine(workers: readonly Worker[]): string {
  const counted = (keyOf: (worker: Worker) => string) => {
    const counts = new Map<string, number>();
    for (const worker of workers) counts.set(keyOf(worker), (counts.get(keyOf(worker)) ?? 0) + 1);
    return [...counts].map(([key, count]) => `${count} ${key}`).join(", ");
  };
  const kindOf = ({ queues }: Worker) => (queues[0]?.startsWith("pinned_") ? "pinned" : "fifo");
  return `${plural(workers.length, "worker")}: ${counted(({ status }) => status)}; ${counted(kindOf)}.`;
}
