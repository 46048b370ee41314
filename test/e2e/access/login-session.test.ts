/** A login session on a running service: it survives a restart and ends with its key. */
import { afterAll, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const dataDir = tempFolder();
let service: Service | undefined;
afterAll(() => service?.close());

test("a session has the rights of its key across a restart, until it is ended or the key is revoked", async () => {
  service = await startService({ dataDir });
  const { body } = await service.call<{ key: string }>("POST", "/key", { name: "berlin", scope: "read" });
  const login = async () => {
    const begun = await fetch(`${service?.url}/session`, {
      method: "POST",
      headers: { "X-API-KEY": body.data.key },
    });
    return begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const get = (cookie: string, path: string, method = "GET") =>
    fetch(`${service?.url}${path}`, { method, headers: { Cookie: cookie } });

  const cookie = await login();
  expect(cookie).toMatch(/^patchbay_session=pbs_/);
  expect((await get(cookie, "/job")).status).toBe(200);
  expect((await get(cookie, "/audit")).status).toBe(403);

  await service.stop();
  service = await startService({ dataDir });
  expect((await get(cookie, "/job")).status).toBe(200);
  expect((await get(cookie, "/session/current", "DELETE")).status).toBe(200);
  expect((await get(cookie, "/job")).status).toBe(403);

  const other = await login();
  expect((await get(other, "/job")).status).toBe(200);
  await service.call("DELETE", "/key?name=berlin");
  await expect.poll(async () => (await get(other, "/job")).status).toBe(403);
  expect(service.output()).not.toContain(other.split("=")[1]);
});
