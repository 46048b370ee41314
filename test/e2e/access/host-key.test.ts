/** The host key of a replaced device: the failed job tells both, and an administrator accepts the new one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { simulated } from "../devices.ts";

const password = "canary-password-25";
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Key {
  fingerprint: string;
  offered: { fingerprint: string } | null;
}
const keysOf = async () => (await service.call<Key[]>("GET", "/host-key?host=127.0.0.1")).body.data;

test("is told with both fingerprints, accepted by one of them, and then the device works again", async () => {
  const old = await simulated("cisco_ios", { password });
  const { port } = old;
  const show = () =>
    service.run({
      driver: "netmiko",
      command: "show version",
      driver_args: { fresh: true },
      connection_args: { host: "127.0.0.1", port, device_type: "cisco_ios", username: "admin", password },
    });
  expect((await show()).status).toBe("finished");
  const [known] = await keysOf();
  expect(known?.offered).toBeNull();
  await old.stop();
  const replaced = await simulated("cisco_ios", { password, port });
  const failed = await show();
  const error = failed.result?.error;
  const { type, message } = error ?? { type: "", message: "" };
  const fingerprint = Object(error?.shown).fingerprint;
  expect(type).toBe("HostKeyMismatch");
  expect(message).toContain(known?.fingerprint);
  expect(message).toContain(`patchbay host-key accept 127.0.0.1 ${fingerprint}`);
  expect(await keysOf()).toMatchObject([{ ...known, offered: { fingerprint } }]);

  const accept = (body: object, headers = {}) =>
    service.call("POST", "/host-key/127.0.0.1/accept", body, headers);
  const other = `SHA256:${"A".repeat(43)}`;
  expect((await accept({ fingerprint: other })).status).toBe(422);
  expect((await accept({ fingerprint: "x" })).status).toBe(422);
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "far", scope: "admin", hosts: ["192.0.2.1"] },
  });
  const far = { "X-API-KEY": made.body.data.key };
  expect((await accept({ fingerprint }, far)).status).toBe(404);
  expect((await service.call("GET", "/host-key", undefined, far)).body.data).toEqual([]);
  expect((await accept({ fingerprint })).status).toBe(200);
  expect((await show()).status).toBe("finished");
  const trail = await service.call<object[]>("GET", "/audit?action=hostkey&host=127.0.0.1");
  expect(trail.body.data).toMatchObject([{ action: "hostkey.accept" }, { action: "hostkey.learn" }]);
  expect((await service.call("DELETE", "/host-key/127.0.0.1")).body.data).toMatchObject({ forgotten: 1 });
  expect((await service.call("DELETE", "/host-key/127.0.0.1")).status).toBe(404);
  expect(await keysOf()).toEqual([]);
  await replaced.stop();
});
