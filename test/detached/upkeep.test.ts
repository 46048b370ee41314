/** Abandoned detached tasks: ended ones are removed, unreachable ones are forgotten after a week. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { DetachedAccess } from "../../src/detached/port.ts";
import { createDetachedUpkeep } from "../../src/detached/upkeep.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import { detachedTask } from "../store/contract/detached.ts";
import type { AnyStore } from "../support/any-store.ts";
import { temporary } from "../support/temporary.ts";

const limits = { inAll: 100, perKey: 100 };
const dayMs = 24 * 3_600_000;
let folder: ReturnType<typeof temporary>;
let store: AnyStore;
let wallMs: number;
let requests: string[];

beforeEach(async () => {
  folder = temporary();
  wallMs = Date.now();
  requests = [];
  const clock = { wall: () => wallMs, monotonic: () => performance.now() };
  const masterKey = new Uint8Array(32).fill(1);
  store = await createStore({ directory: folder.path, masterKey, log: silentLog, clock });
});
afterEach(async () => {
  await store.close();
  store.ownership.release();
  folder.remove();
});

function upkeep(answer: () => void = () => {}): Promise<void> {
  const detached: Pick<DetachedAccess, "ask"> = {
    async ask({ id }, action) {
      requests.push(`${action.do} ${id}`);
      answer();
      return undefined;
    },
  };
  const { signal } = new AbortController();
  return createDetachedUpkeep({ store, detached, log: silentLog, signal })();
}

const over = { state: "ended", exitStatus: 0, startedAt: 1, endedAt: 2 } as const;

test("ended detached tasks are removed from server and store; running ones are polled", async () => {
  for (const id of ["over", "runs", "young"]) await store.detached.begin(detachedTask(id), limits);
  await store.detached.note("over", { ...over, dueInMs: -1 });
  await store.detached.note("runs", { ...over, state: "running", dueInMs: -1 });
  await upkeep();
  expect(requests.sort()).toEqual(["look runs", "remove over"]);
  expect((await store.detached.page({}, 9)).map(({ id }) => id)).toEqual(["young", "runs"]);
  expect(await store.audit.page({}, 1)).toMatchObject([{ action: "detached.remove", outcome: "removed" }]);
  await upkeep();
  expect(requests).toHaveLength(2);
});

test("detached tasks on a server that does not answer are forgotten after a week", async () => {
  await store.detached.begin(detachedTask("1", { dueInMs: -1 }), limits);
  const silent = () => {
    throw new ServiceError("ConnectionTimeout", "nothing came");
  };
  wallMs += 6 * dayMs;
  await upkeep(silent);
  expect(await store.detached.find("1")).toBeDefined();
  await store.raw("update detached_tasks set due_t = 0");
  wallMs += 2 * dayMs;
  await upkeep(silent);
  expect(await store.detached.find("1")).toBeUndefined();
  expect(await store.audit.page({}, 1)).toMatchObject([{ outcome: "forgotten" }]);
});
