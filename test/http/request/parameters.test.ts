/** Query parameters of every route, and the paths of newer versions. */

import { describe, expect, test } from "vitest";
import type { Admin } from "../../../src/admin/port.ts";
import { rights } from "../../../src/auth/port.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { DetachedTasks } from "../../../src/detached/port.ts";
import { aliases } from "../../../src/http/request/aliases.ts";
import { definitions, openDefinitions } from "../../../src/http/route-table.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { callerWith, createApp, keys, query, spy, ticket, workerRecord } from "../doubles/fixtures.ts";
import { noEvents } from "../doubles/no-events.ts";

const rows: [string, string][] = [
  ...definitions.map(({ method, path }): [string, string] => [
    method,
    path.replace(":name", "jinja2").replace(":item", "latest"),
  ]),
  ...aliases.flatMap(({ path, is }) =>
    definitions
      .filter((route) => route.path.replaceAll(/:(\w+)/g, "{$1}") === is)
      .map(({ method }): [string, string] => [method, path.replace(/\{.*\}/, "jinja2")]),
  ),
  ...openDefinitions
    .filter(({ lenient }) => !lenient)
    .map(({ method, path }): [string, string] => [method, path.replace(":name", "corp")]),
  ["GET", "/livez"],
  ["GET", "/readyz"],
];

const bodyOf: Record<string, object | undefined> = { POST: query, PATCH: { credentials: null } };

describe.each(rows)("%s %s", (method, path) => {
  const send = (search: string) =>
    createApp({}, { authenticate: async () => ({ ...callerWith("admin"), rights }) }).send(
      `${path}${search}`,
      {
        method,
        ...(bodyOf[method] === undefined ? {} : { body: bodyOf[method] }),
      },
    );

  test("rejects an unknown parameter and lists the known ones", async () => {
    const answer = await send("?bulkid=1");
    expect(answer.status).toBe(422);
    expect(answer.body.data).toEqual([
      {
        path: "bulkid",
        message: expect.stringMatching(/^is not a parameter of this endpoint: (this endpoint|known are)/),
      },
    ]);
  });

  test("accepts the key beside them", async () => {
    for (const name of ["X-API-KEY", "x-api-key"])
      expect((await send(`?${name}=${keys.admin}${methodFilter()}`)).status).not.toBe(422);
  });

  function methodFilter(): string {
    if (path === "/inventory/import") return "&format=csv";
    if (/^\/jobs?\/release$/.test(path)) return "&host=h";
    if (method === "PATCH" && path === "/key") return "&name=k";
    // The path identifies the item.
    if (method !== "DELETE" || path.endsWith("/jinja2") || path.startsWith("/recipe")) return "";
    if (path === "/key") return "&name=k";
    return path.startsWith("/worker") ? "&node=n" : "&host=h";
  }
});

test("rejects a parameter that is also in the path as a duplicate", async () => {
  const answer = await createApp().send("/jobs/a?id=b");
  expect(answer).toMatchObject({ status: 422, body: { data: [{ path: "id" }] } });
});

describe("newer paths are aliases of the same routes", () => {
  test("jobs by id, cancelled by id, workers by name", async () => {
    const list = spy<Parameters<Jobs["list"]>, ReturnType<Jobs["list"]>>(async function* () {});
    const cancel = spy<Parameters<Jobs["cancel"]>, Promise<string[]>>(async () => [ticket.id]);
    const workers = spy<Parameters<Admin["workers"]>, ReturnType<Admin["workers"]>>(async () => [
      workerRecord("n.pinned_2001:db8::1"),
    ]);
    const { send } = createApp({ list, cancel, workers });
    expect((await send("/jobs/a-1")).status).toBe(404);
    expect(list.calls[0]?.[0]).toEqual({ id: "a-1" });
    expect((await send("/jobs/a-1?force=true", { method: "DELETE" })).status).toBe(200);
    expect(cancel.calls[0]?.slice(0, 2)).toEqual([{ id: "a-1" }, true]);
    expect((await send("/workers/n.pinned_2001%3Adb8%3A%3A1")).status).toBe(200);
    expect(workers.calls[0]?.[0]).toEqual({ name: "n.pinned_2001:db8::1" });
    expect((await send("/jobs?status=canceled&queue=pinned-R1")).status).toBe(200);
    expect(list.calls[1]?.[0]).toEqual({ status: "cancelled", queue: "pinned_r1" });
  });

  test("submissions and tests", async () => {
    const { send } = createApp();
    expect((await send("/device/exec", { body: query })).status).toBe(201);
    expect((await send("/device/test", { body: query })).body.message).toBe("Connection test completed");
  });

  test("for everything below a job, bulk or task", async () => {
    const read = spy<
      Parameters<DetachedTasks["readDetachedTask"]>,
      ReturnType<DetachedTasks["readDetachedTask"]>
    >(async () => {
      throw new ServiceError("NotFound", "There is no such task.");
    });
    const watch = spy(noEvents.ofJob);
    const { send } = createApp({ readDetachedTask: read }, { events: { ...noEvents, ofJob: watch } });
    expect((await send("/detached-tasks/t%2D1?offset=7")).status).toBe(404);
    expect(read.calls[0]?.slice(0, 2)).toEqual(["t-1", 7]);
    expect((await send("/detached-tasks")).status).toBe(200);
    expect((await send("/jobs/j-1/events")).headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(watch.calls[0]?.[0]).toBe("j-1");
    expect((await send("/jobs/release?host=h", { method: "POST" })).status).toBe(200);
  });

  test("with the same scopes and methods only", async () => {
    const { send, lines } = createApp();
    expect((await send("/workers/x", { method: "DELETE", key: keys.read })).status).toBe(403);
    const posted = await send("/jobs/x", { method: "POST", body: {} });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
    for (const path of ["/jobs/", "/jobs/a/b", "/job/a", "/workers/", "/device/exec/"])
      expect([path, (await send(path)).status]).toEqual([path, 404]);
    // The log contains the requested path.
    expect(lines.some(({ fields }) => fields.path === "/jobs/x")).toBe(true);
  });
});

test("shortens a too long wait and warns about it", async () => {
  const { send } = createApp();
  for (const path of ["/device/execute", "/device/bulk"]) {
    const answer = await send(path, { body: query, headers: { Prefer: "wait=900" } });
    expect(answer.headers.get("preference-applied")).toBe("wait=600");
    expect(answer.body.data).toMatchObject({ warnings: [expect.stringContaining("reduced to 600 seconds")] });
  }
  const kept = await send("/device/execute", { body: query, headers: { Prefer: "wait=600" } });
  expect(kept.body.data).not.toHaveProperty("warnings");
});
