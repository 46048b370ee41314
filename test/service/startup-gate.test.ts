/** A service that does not become ready reports this to clients. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { storeBudgetMs } from "../../src/base/time/time-budget.ts";
import type { RequestConnection } from "../../src/http/port.ts";
import { createStartupGate } from "../../src/service/startup-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = new Request("http://patchbay.example/health");
const limit = { extendTimeout() {}, restoreTimeout() {} };

test("a slow start is answered with 503 and Retry-After", async () => {
  const door = createStartupGate(new Promise(() => {}), silentLog, storeBudgetMs.server);
  const answer = Promise.resolve(door(request, null, limit));
  await vi.advanceTimersByTimeAsync(3_000);
  const response = await answer;
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(await response.json()).toMatchObject({ code: -1, message: "The service is starting." });
});

test("the time spent waiting for the start counts against the store's time budget", async () => {
  let arrival: RequestConnection | undefined;
  const app = {
    async fetch(_request: Request, connection: RequestConnection) {
      arrival = connection;
      return new Response("here");
    },
  };
  const door = createStartupGate(
    pause(2_000).then(() => app),
    silentLog,
    storeBudgetMs.server,
  );
  const answer = Promise.resolve(door(request, "192.0.2.1", limit));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await (await answer).text()).toBe("here");
  expect(arrival?.from).toBe("192.0.2.1");
  const storeCall = arrival?.budget?.wait(new Promise(() => {}));
  const refused = expect(storeCall).rejects.toMatchObject({ kind: "Unavailable" });
  await vi.advanceTimersByTimeAsync(900);
  await refused;
});
