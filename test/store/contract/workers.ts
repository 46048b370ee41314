/** Contract of `workers`: each node reports its own, all nodes see them, and a stop request is delivered once. */
import { expect, test } from "vitest";
import type { WorkerState } from "../../../src/store/port.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const state = (name: string, more: Partial<WorkerState> = {}): WorkerState => ({
  name,
  status: "idle",
  queue: "fifo",
  currentJob: null,
  birthAt: 1_000,
  succeeded: 0,
  failed: 0,
  ...more,
});
const at = { hostname: "h", pid: 7 };

export function workersContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a report replaces the previous one, and other nodes see it with the state of its node", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    await store.workers.report(n1, at, [state("n1.fifo.0"), state("n1.fifo.1")]);
    await store.workers.report(n1, at, [
      state("n1.fifo.1", { status: "busy", currentJob: "j", succeeded: 2 }),
    ]);
    expect(await store.workers.ofOtherNodes("n1")).toEqual([]);
    const [worker, ...rest] = await store.workers.ofOtherNodes("n2");
    expect(rest).toEqual([]);
    expect(worker).toMatchObject({
      ...{ name: "n1.fifo.1", node: "n1", status: "busy", currentJob: "j", succeeded: 2 },
      ...{ birthAt: 1_000, hostname: "h", pid: 7, alive: true },
    });
    expect(worker?.heartbeatAt).toBeGreaterThan(1_000);
    await store.nodes.setState(n1, "dead");
    expect(await store.workers.ofOtherNodes("n2")).toMatchObject([{ alive: false }]);
    await store.recovery.clearDeadNodes();
    expect(await store.workers.ofOtherNodes("n2")).toEqual([]);
  });

  test("a stop request reaches the node of the worker once", async () => {
    const { store, node } = fixture;
    await store.workers.report(await node("n1"), at, [state("n1.fifo.0"), state("n1.fifo.1")]);
    await store.workers.requestStop(["n1.fifo.1", "unknown"]);
    expect(await store.workers.takeStopRequests("n2")).toEqual([]);
    expect(await store.workers.takeStopRequests("n1")).toEqual(["n1.fifo.1"]);
    expect(await store.workers.takeStopRequests("n1")).toEqual([]);
  });
}
