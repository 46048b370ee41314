/** Queries servers about detached tasks with the sealed connection, and stores the answers. */

import * as v from "valibot";
import { isOver } from "../api/jobs/detached.ts";
import { namedCredential, type Payload } from "../api/jobs/request.ts";
import { anyCaller } from "../auth/caller.ts";
import { taskReach } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { createDeadline, onAbort } from "../base/time/deadline.ts";
import { accountNamed, type CredentialUse, type LoginGate } from "../limits/port.ts";
import type { Pool } from "../pool/port.ts";
import type { ClaimedJob, NewDetachedTask, Store } from "../store/port.ts";
import type { DetachedAccess } from "./port.ts";

export interface DetachedTools {
  readonly store: Pick<Store, "detached">;
  readonly pool: Pool;
  readonly loginGate: LoginGate;
  readonly credentialUse: Pick<CredentialUse, "noteShared" | "record">;
  /** Retention of ended tasks, as for results. */
  readonly keptMs: number;
}

/** The sealed part of a task: arguments to find it again, and secrets to mask in its output. */
const sealedTask = v.object({
  connection: v.record(v.string(), v.unknown()),
  operation: v.picklist(["query", "configure"]),
  args: v.record(v.string(), v.unknown()),
  /** Secrets to mask, because output may contain them at any time. */
  secrets: v.optional(v.array(v.string()), []),
  /** Host patterns of the key; empty: all hosts. */
  reach: v.array(v.string()),
  /** The credential reference of its connection. */
  credential: v.optional(namedCredential),
});

/** Time for a login, and to stop an unresponsive task. */
const askMs = 60_000;
/** Check interval of running tasks that nobody queries. */
const runningMs = 24 * 3_600_000;
const limits = { inAll: 5_000, perKey: 1_000 };

export function createDetachedAccess(tools: DetachedTools): DetachedAccess {
  const { store, pool, loginGate, credentialUse, keptMs } = tools;
  return {
    keptMs,

    async begin(job, payload) {
      const { detached } = payload;
      if (detached === undefined) return;
      const task = newTask(job, payload, detached);
      if (await store.detached.begin({ ...task, dueInMs: runningMs }, limits)) return;
      const message = `There are ${limits.perKey} detached tasks of ${anyCaller}, or ${limits.inAll} in all: remove some that have ended.`;
      throw new ServiceError("DriverError", message, { outcome: "none" });
    },

    async started(id) {
      const unknown = { exitStatus: null, startedAt: null, endedAt: null };
      await store.detached.note(id, { state: "running", ...unknown, dueInMs: runningMs });
    },

    async ask(task, action, { signal, key }) {
      const { id, driver, hostKey } = task;
      if (task.payload === null)
        throw new ServiceError("Internal", "The stored connection of this task can no longer be decrypted.");
      const { reach: ownReach, credential, ...sealed } = v.parse(sealedTask, JSON.parse(task.payload));
      const deadline = createDeadline(askMs, () => {
        const message = `The server did not answer within ${askMs / 1000} seconds.`;
        return new ServiceError("ReadTimeout", message);
      });
      const onDisconnect = () =>
        deadline.abort(new ServiceError("Cancelled", "The caller has disconnected."));
      const unlisten = onAbort(signal, onDisconnect);
      try {
        const account = accountNamed(sealed.connection.username, credential);
        const open = () => pool.hasSession(hostKey);
        const use = { credential, host: task.host, jobId: id };
        if (key) await credentialUse.noteShared({ ...use, keyId: key.keyId }, task.caller);
        else await credentialUse.record({ ...use, keyId: task.caller });
        const pass = await loginGate.enter(hostKey, account, deadline.signal, open);
        try {
          const request = { kind: "detached" as const, driver, id, action, ...sealed };
          const reach = key ? taskReach(key.hosts, [task.host, ...ownReach]) : ownReach;
          const run = { ...request, reach: [...reach], whose: key?.keyId ?? task.caller };
          const { found } = await pool.run(run, {
            ...{ deadline, host: hostKey },
            answer: async (question) =>
              question.about === "hops" ? pass.enterHops(question.logins, deadline.signal) : undefined,
          });
          pass.accepted();
          if (found === null) return undefined;
          const { state, exitStatus } = found;
          const startedAt = milliseconds(found.startedAt);
          const endedAt = milliseconds(found.endedAt);
          const dueInMs = isOver(state) ? keptMs : runningMs;
          const observed = { state, exitStatus, startedAt, endedAt };
          await store.detached.note(id, { ...observed, dueInMs });
          return { ...found, ...observed };
        } catch (error) {
          if (error instanceof ServiceError) pass.failed(error);
          throw error;
        } finally {
          pass.leave();
        }
      } finally {
        unlisten();
        deadline.dispose();
      }
    },
  };
}

function newTask(
  job: ClaimedJob,
  { connection, operation, driverArgs, reach = [], credential }: Payload,
  { keeps, asked, secrets }: NonNullable<Payload["detached"]>,
): Omit<NewDetachedTask, "dueInMs"> {
  const keptArgs = Object.entries(driverArgs).filter(([name]) => keeps.includes(name));
  const sealed: v.InferOutput<typeof sealedTask> = {
    connection,
    operation: operation === "query" ? "query" : "configure",
    args: Object.fromEntries(keptArgs),
    secrets,
    reach,
    ...(credential === undefined ? {} : { credential }),
  };
  const { host, hostKey, driver, caller } = job;
  return { id: job.fence.id, host, hostKey, driver, caller, payload: JSON.stringify(sealed), asked };
}

const milliseconds = (seconds: number | null) => (seconds === null ? null : seconds * 1000);
