/** Tables of the nodes and their workers, and single values of the store. */
import { index, text } from "drizzle-orm/pg-core";
import { type Row, table, whole } from "./columns.ts";

export const nodes = table("nodes", {
  name: text("name").primaryKey(),
  /** Increases with each start of the node: the fencing token of all its writes. */
  generation: whole("generation").notNull(),
  /** `up`, `draining`, `dead`. */
  state: text("state").notNull(),
  /** Id of the data directory, which one process owns: its owner knows that the node's previous process has ended. */
  home: text("home").notNull(),
  hostname: text("hostname").notNull(),
  pid: whole("pid").notNull(),
  startedAt: whole("started_at").notNull(),
  beatAt: whole("beat_at").notNull(),
  leaseT: whole("lease_t").notNull(),
});

/** Which node runs the jobs of a pinned host. Valid while that node's lease is. */
export const queues = table(
  "queues",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: whole("generation").notNull(),
    fence: whole("fence").notNull(),
    sinceT: whole("since_t").notNull(),
  },
  (queue) => [index("queues_node").on(queue.node)],
);

export const workers = table(
  "workers",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: whole("generation").notNull(),
    status: text("status").notNull(),
    pid: whole("pid").notNull(),
    hostname: text("hostname").notNull(),
    queue: text("queue").notNull(),
    currentJob: text("current_job"),
    beatAt: whole("beat_at").notNull(),
    birthAt: whole("birth_at").notNull(),
    succeeded: whole("succeeded").notNull(),
    failed: whole("failed").notNull(),
    /** Set if another node requested a stop. */
    stop: whole("stop").notNull().default(0),
  },
  (worker) => [index("workers_node").on(worker.node)],
);

export const meta = table("meta", { key: text("key").primaryKey(), value: text("value").notNull() });

export type WorkerRow = Row<typeof workers>;
