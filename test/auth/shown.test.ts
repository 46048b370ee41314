/** P34: data of hosts that a key may not reach is neither shown to it nor can the key stop it, in any route. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sending } from "../http/doubles/fixtures.ts";
import { admin } from "../support/requests.ts";
import { connectionOf, type LimitedNode, outside, registry, startLimitedNode, within } from "./support.ts";

let limited: LimitedNode;
beforeAll(async () => {
  limited = await startLimitedNode();
});
afterAll(() => limited.stop());

const send = (as: string, path: string, sending?: Sending) => limited.send(as, path, sending);

describe("objects of a host out of reach", () => {
  let id: string;
  const job = (host: string, work: object) => ({
    driver: "netmiko",
    connection_args: { ...connectionOf(registry.require("driver", "netmiko")), host },
    ...work,
  });
  beforeAll(async () => {
    id = await limited.node.submit(job(outside, { command: "hang" }));
    await limited.node.ended(await limited.node.submit(job(within, { command: "show version" })));
  });
  afterAll(() => limited.node.jobs.cancel({ id }, true, admin));

  test("a job is not shown", async () => {
    for (const as of ["operator", "limitedAdmin"]) {
      expect((await send(as, `/job?id=${id}`)).status).toBe(404);
      expect((await send(as, `/jobs/${id}`)).status).toBe(404);
      for (const filter of [
        "",
        `?host=${outside}`,
        `?queue=pinned_${outside}`,
        "?status=running",
        "?limit=500",
      ]) {
        const answer = await send(as, `/job${filter}`);
        expect([filter, answer.text.includes(id)]).toEqual([filter, false]);
      }
    }
    // Not even its existence.
    const unknown = await send("operator", "/job?limit=1&cursor=01a201c7-ad3d-7000-862a-825caf29e57c");
    expect(await send("operator", `/job?limit=1&cursor=${id}`)).toMatchObject({
      status: 400,
      body: unknown.body,
    });
    expect((await send("admin", `/job?id=${id}`)).status).toBe(200);
    expect((await send("operator", "/job?limit=500")).text).toContain(`"host":"${within}"`);
  });

  test("a job is not cancelled, by id or by filter", async () => {
    for (const path of [`/job?id=${id}`, `/jobs/${id}?x`.replace("?x", "")]) {
      const more = path.includes("?") ? "&force=true" : "?force=true";
      expect((await send("operator", path + more, { method: "DELETE" })).status).toBe(404);
    }
    for (const filter of [`host=${outside}`, `queue=pinned_${outside}`, "status=running", "driver=netmiko"]) {
      const answer = await send("operator", `/job?${filter}&force=true`, { method: "DELETE" });
      expect([filter, answer.status, answer.text.includes(id)]).toEqual([filter, 200, false]);
    }
    const [record] = (await send("admin", `/job?id=${id}`)).body.data as { status: string }[];
    expect(record?.status).toBe("running");
  });

  test("a worker is not shown or stopped, nor are workers that serve all hosts", async () => {
    for (const filter of [
      "",
      `?host=${outside}`,
      `?queue=pinned_${outside}`,
      "?queue=fifo",
      "?status=busy",
    ]) {
      const { text } = await send("operator", `/worker${filter}`);
      for (const word of [outside, id, "fifo"])
        expect([filter, text.includes(word)]).toEqual([filter, false]);
    }
    expect((await send("operator", "/worker")).text).toContain(`n1.pinned_${within}`);
    const stop = (filter: string) => send("limitedAdmin", `/worker?${filter}`, { method: "DELETE" });
    for (const filter of [`host=${outside}`, "queue=fifo", "status=busy"])
      expect((await stop(filter)).body.data).toEqual([]);
    for (const name of ["n1.fifo.0", `n1.pinned_${outside}`])
      expect((await stop(`name=${name}`)).status).toBe(404);
    expect((await stop("node=n1")).body.data).toEqual([`n1.pinned_${within}`]);
    const [record] = (await send("admin", `/job?id=${id}`)).body.data as { status: string }[];
    expect(record?.status).toBe("running");
  });

  test("audit entries are not shown on any page", async () => {
    await limited.node.store.audit.add({
      caller: admin,
      action: "device.test",
      host: outside,
      outcome: "success",
    });
    await limited.node.store.audit.add({
      caller: admin,
      action: "device.test",
      host: within,
      outcome: "success",
    });
    let cursor = "";
    let seen = "";
    do {
      const answer = await send("limitedAdmin", `/audit?limit=1${cursor}`);
      seen += answer.text;
      cursor = answer.headers.has("x-next-cursor") ? `&cursor=${answer.headers.get("x-next-cursor")}` : "";
    } while (cursor !== "");
    expect(seen).toContain(within);
    expect(seen).not.toContain(outside);
    expect((await send("admin", "/audit?limit=500")).text).toContain(outside);
  });
});
