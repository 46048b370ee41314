/** A bulk: what its entries override, and what is wrong with it as a whole. */
import { expect, test } from "vitest";
import { base, connection, useNode } from "./support.ts";

const node = useNode();

test("entries of a bulk override what is shared, and carry work of their own", async () => {
  const answer = await node().bulk({
    ...base,
    connection_args: { ...connection, host: "shared" },
    config: ["shared line"],
    devices: [
      { host: "d1" },
      { host: "d2", config: "own line" },
      { hostname: "d3", command: "show own" },
      { host: "d4", command: "" },
    ],
  });
  expect(answer.failed).toEqual(["d4"]);
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

test("a bulk whose own shape is wrong is refused whole", async () => {
  for (const devices of [undefined, [], [5], "x"]) {
    const error = await node()
      .bulk({ ...base, command: "x", devices })
      .catch((reason) => reason);
    expect(error.kind).toBe("Validation");
  }
});
