/** A node without its lease does not even log in: the first line of defence, before the check at every write. */

import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import netmiko from "../../../plugins/drivers/netmiko/plugin.ts";
import { builtins } from "../../../plugins/index.ts";
import { silentLog } from "../../../src/base/log.ts";
import { monotonicMs } from "../../../src/base/time/monotonic.ts";
import { createHandlers } from "../../../src/executor/handlers.ts";
import { createLeaseGuard } from "../../../src/executor/kit/lease-guard.ts";
import { createMasking } from "../../../src/executor/masking.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { taskContext } from "../../plugin/context.ts";
import { plainSettings } from "../fixtures.ts";

test("no connection is made once the lease has ended", async () => {
  let connections = 0;
  const device = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(device, "listening");
  const address = device.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const leaseValidUntil = new SharedArrayBuffer(8);
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const settings = { ...plainSettings, leaseValidUntil };
  const handlers = createHandlers({
    settings,
    registry,
    log: silentLog,
    masking: createMasking(),
    ask: async () => [],
    onSession() {},
  });
  const connection = { host: "127.0.0.1", port, username: "u", password: "p", device_type: "cisco_ios" };
  const query = () => {
    return handlers.run(
      {
        kind: "query",
        driver: netmiko.name,
        connection,
        args: {},
        reach: [],
        keep: false,
        commands: ["show a"],
      },
      taskContext(),
    );
  };
  await expect(query()).rejects.toMatchObject({ kind: "WorkerLost" });
  expect(connections).toBe(0);
  new Float64Array(leaseValidUntil)[0] = monotonicMs() + 600_000;
  await expect(query()).rejects.toThrow();
  expect(connections).toBeGreaterThan(0);
  device.close();
});

test("a stream is destroyed without sending if the lease ends between two writes", () => {
  const leaseValidUntil = new SharedArrayBuffer(8);
  const cell = new Float64Array(leaseValidUntil);
  cell[0] = monotonicMs() + 600_000;
  const done: string[] = [];
  const stream = createLeaseGuard(leaseValidUntil).guard({
    write: (data) => void done.push(String(data)),
    onData: () => {},
    onClose: () => {},
    end: async () => {},
    destroy: () => void done.push("destroyed"),
  });
  stream.write("a");
  cell[0] = monotonicMs() - 1;
  expect(() => stream.write("b")).toThrow("could not renew its lease");
  expect(done).toEqual(["a", "destroyed"]);
});
