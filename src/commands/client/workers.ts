/** `patchbay workers`: lists workers. */
import type { Command } from "commander";
import { type Worker, workerList } from "../../client/answers.ts";
import type { ServerFlags } from "../../client/server.ts";
import { clientCommand, conclude, openSession, type Surroundings, withServer } from "./action.ts";
import { clockTime } from "./jobs.ts";
import { type Columns, type FormFlags, printList, withForms } from "./lists.ts";

interface WorkersFlags extends ServerFlags, FormFlags {
  readonly status?: string;
  readonly host?: string;
  readonly node?: string;
  readonly queue?: string;
}

const columns: Columns<Worker> = {
  name: ({ name }) => name,
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
    conclude((surroundings) => listWorkers(flags, surroundings)),
  );
}

async function listWorkers(flags: WorkersFlags, surroundings: Surroundings): Promise<number> {
  const { api, terminal } = openSession(flags, surroundings);
  const { status, host, node, queue } = flags;
  const workers = await api.call("/worker", workerList, { query: { status, host, node, queue } });
  await printList(workers, columns, flags, terminal);
  return 0;
}
