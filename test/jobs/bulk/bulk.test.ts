/** A bulk: what its entries may override, and errors of the bulk as a whole. */
import { expect, test } from "vitest";
import { admin } from "../../support/requests.ts";
import { base, connection, useNode } from "../support.ts";

const node = useNode();

test("entries of a bulk override shared fields and may have their own command or config", async () => {
  const answer = await node().bulk({
    ...base,
    connection_args: { ...connection, host: "shared" },
    config: ["shared line"],
    devices: [
      { host: "d1" },
      { host: "d2", config: "own line" },
      { hostname: "d3", command: "show own" },
      { host: "d4", command: "" },
      { host: "d5", command: ["show a", 5] },
    ],
  });
  expect(answer.failed).toEqual(["d4", "d5"]);
  expect(answer.failed_jobs.map(({ reason }) => reason)).toEqual([
    "devices.3.command: must not be empty",
    "devices.4.command.1: must be a string, or an object with `send`",
  ]);
  await node().jobs.waitForBulk(answer.bulk_id, 10_000, new AbortController().signal);
  const commands = node()
    .pool.log.filter(({ host }) => /^d\d$/.test(host))
    .map(({ host, command }) => `${host}: ${command}`);
  expect(commands.sort()).toEqual(["d1: shared line", "d2: own line", "d3: show own"]);
  expect(
    (
      await node()
        .bulk({ ...base, command: "x", devices: [{}] })
        .catch((error) => error)
    ).failed,
  ).toEqual([]);
});

test("null in an entry means the shared value, except for a credential", async () => {
  const shared = { device_type: "cisco_ios", username: "u", port: 2222, credential: { name: "none" } };
  const answer = await node().bulk({
    driver: "netmiko",
    connection_args: shared,
    command: "show null",
    devices: [
      { host: "n1", password: "canary", credential: null, username: null, port: null },
      { host: null, hostname: "n2", password: "canary", credential: null, device_type: null },
    ],
  });
  expect(answer.failed).toEqual([]);
  await node().jobs.waitForBulk(answer.bulk_id, 10_000, new AbortController().signal);
  const commands = node().pool.log.filter(({ command }) => command === "show null");
  expect(commands.map(({ host }) => host).sort()).toEqual(["n1", "n2"]);
});

test("a bulk without a valid list of devices is rejected as a whole", async () => {
  for (const devices of [undefined, [], [5], "x"]) {
    const error = await node()
      .bulk({ ...base, command: "x", devices })
      .catch((reason) => reason);
    expect(error.kind).toBe("Validation");
  }
});

test("a bulk stores its label, ticket and tags without the secrets of its devices", async () => {
  const answer = await node().bulk({
    ...base,
    command: "show a",
    label: "night with canary and canary-two",
    options: { ticket: "CHG-7", tags: ["canary-three"], note: "canary-two" },
    devices: [
      { host: "d1" },
      { host: "d2", password: "canary-two" },
      { host: "d3", password: "canary-three", port: "none" },
    ],
  });
  const bulk = await node().store.bulks.find(answer.bulk_id);
  expect(bulk).toMatchObject({
    ...{ driver: "netmiko", operation: "query", caller: "k1", total: 3 },
    // "canary" is too short to be masked in the caller's own words.
    label: "night with canary and [secret]",
    ...{ ticket: "CHG-7", tags: ["[secret]"], note: "[secret]" },
  });
  for await (const records of node().jobs.list({ bulk_id: answer.bulk_id }, admin, {}))
    for (const record of records)
      expect(record).toMatchObject({ label: bulk?.label, ticket: "CHG-7", tags: ["[secret]"] });
  const [failure] = answer.failed_jobs;
  expect(await node().store.jobs.find(failure?.id ?? "")).toMatchObject({ errorType: "Validation" });
});
