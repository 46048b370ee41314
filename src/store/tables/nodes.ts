/** Tables of the nodes and their workers, and single values of the store. */
import { index, integer, text } from "drizzle-orm/sqlite-core";
import { type Row, table } from "./columns.ts";

export const nodes = table("nodes", {
  name: text("name").primaryKey(),
  /** Increases with each start of the node: the fencing token of all its writes. */
  generation: integer("generation").notNull(),
  /** `up`, `draining`, `dead`. */
  state: text("state").notNull(),
  /** Id of the data directory, which one process owns: its owner knows that the node's previous process has ended. */
  home: text("home").notNull(),
  hostname: text("hostname").notNull(),
  pid: integer("pid").notNull(),
  startedAt: integer("started_at").notNull(),
  beatAt: integer("beat_at").notNull(),
  leaseT: integer("lease_t").notNull(),
});

/** Which node runs the jobs of a pinned host. Valid while that node's lease is. */
export const queues = table(
  "queues",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: integer("generation").notNull(),
    fence: integer("fence").notNull(),
    sinceT: integer("since_t").notNull(),
  },
  (queue) => [index("queues_node").on(queue.node)],
);

export const workers = table(
  "workers",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: integer("generation").notNull(),
    status: text("status").notNull(),
    pid: integer("pid").notNull(),
    hostname: text("hostname").notNull(),
    queue: text("queue").notNull(),
    currentJob: text("current_job"),
    beatAt: integer("beat_at").notNull(),
    birthAt: integer("birth_at").notNull(),
    succeeded: integer("succeeded").notNull(),
    failed: integer("failed").notNull(),
    /** Set if another node requested a stop. */
    stop: integer("stop").notNull().default(0),
  },
  (worker) => [index("workers_node").on(worker.node)],
);

export const meta = table("meta", { key: text("key").primaryKey(), value: text("value").notNull() });

export type WorkerRow = Row<typeof workers>;
