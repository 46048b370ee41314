/** Bodies of megabytes are read one after another; small ones are not delayed. */
import { expect, test } from "vitest";
import { createApp, query, ticket } from "../doubles/fixtures.ts";

const large = { ...query, note: "x".repeat(1024 * 1024) };

test("are parsed one at a time, also when a request fails or waits for its job", async () => {
  let inside = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const { send } = createApp(
    {
      async submit(body) {
        if (body.text.length < 1024 * 1024) return ticket;
        most = Math.max(most, ++inside);
        await new Promise<void>((resolve) => gates.push(resolve));
        inside--;
        if (gates.length === 2) throw new Error("a fault in the middle");
        return ticket;
      },
      waitFor: () => new Promise(() => {}),
    },
    { maxBodyBytes: 4 * 1024 * 1024 },
  );
  // Once accepted, the first request waits for its job forever.
  const waiting = send("/device/execute", { body: large, headers: { Prefer: "wait=600" } });
  void waiting.catch(() => {});
  const others = [1, 2, 3].map(() => send("/device/execute", { body: large }));
  await expect.poll(() => gates.length).toBe(1);
  expect((await send("/device/execute", { body: query })).status).toBe(201);
  for (let at = 0; at < 4; at++) {
    await expect.poll(() => gates.length).toBe(at + 1);
    gates[at]?.();
  }
  expect((await Promise.all(others)).map(({ status }) => status).toSorted()).toEqual([201, 201, 500]);
  expect(most).toBe(1);
});

test("a slow render does not block other large bodies", async () => {
  const { send } = createApp({ render: () => new Promise(() => {}) }, { maxBodyBytes: 4 * 1024 * 1024 });
  const template = "x".repeat(1024 * 1024);
  void send("/template/render", { body: { template } }).catch(() => {});
  expect((await send("/device/execute", { body: large })).status).toBe(201);
});
