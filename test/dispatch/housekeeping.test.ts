/** Periodic maintenance: failed runs are retried. */
import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { startHousekeeping } from "../../src/dispatch/housekeeping.ts";
import { closeStore, openStore } from "../store/support.ts";
import { temporary } from "../support/temporary.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a master key rotation that a store failure interrupts resumes within ten minutes, once", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  let tries = 0;
  const rotation = {
    isDue: true,
    async reseal() {
      if (++tries === 1) throw new Error("The store did not answer in time.");
      return 3;
    },
  };
  const housekeeping = startHousekeeping({
    store: { ...store, rotation },
    log: silentLog,
    auditMs: 1_000,
    retryMs: 0,
    keptEvents: 10,
    lookAfterDetached: async () => {},
  });
  expect(tries).toBe(1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(tries).toBe(2);
  await vi.advanceTimersByTimeAsync(1_200_000);
  expect(tries).toBe(2);
  housekeeping.stop();
  vi.useRealTimers();
  await closeStore(store);
  folder.remove();
});
