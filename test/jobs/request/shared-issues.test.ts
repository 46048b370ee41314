/** An error in shared fields is the request's; an error in an entry is that device's. */
import { expect, test } from "vitest";
import { base, connection, issuesOf, useNode } from "../support.ts";

const node = useNode();

test("an invalid shared field rejects the whole bulk, with the message of a single request", async () => {
  const devices = [{ host: "d1" }, { host: "d2", device_type: "cisco_ios" }];
  const shared: [object, string][] = [
    [{ ...base, driver: "netmiki", command: "x" }, "driver"],
    [{ ...base, command: "x", connection_args: { ...connection, port: "canary" } }, "connection_args.port"],
    [{ ...base, command: "x", driver_args: { read_timeout: "canary" } }, "driver_args.read_timeout"],
    [{ ...base, command: "x", parsing: { name: "textfms", template: "x" } }, "parsing.name"],
    [{ ...base, command: "x", webhook: { url: "canary" } }, "webhook.url"],
    [{ ...base, command: "a\u0003" }, "command.0"],
    [base, "command"],
  ];
  for (const [request, path] of shared) {
    const error = await node()
      .bulk({ ...request, devices })
      .catch((reason) => reason);
    expect([path, error.kind, error.detail?.issues?.[0]?.path]).toEqual([path, "Validation", path]);
    const { host: _host, ...others } = connection;
    const single = await issuesOf(node(), { connection_args: { ...others, host: "d1" }, ...request });
    expect(single.find((issue) => issue.path === path)?.message).toBe(error.detail.issues[0].message);
  }
});

test("an invalid entry, or one that corrects a shared field, does not affect other entries", async () => {
  const answer = await node().bulk({
    ...base,
    connection_args: { ...connection, port: "canary" },
    devices: [
      { host: "o1", port: 22, command: "show a" },
      { host: "o2", port: 23, command: "a\u0003" },
      { host: "o3", port: 24 },
    ],
  });
  expect(answer.failed).toEqual(["o2", "o3"]);
});
