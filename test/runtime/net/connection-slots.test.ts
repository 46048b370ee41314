/** Connection limits: an address with many idle connections loses its own and locks out nobody. */
import { expect, test } from "vitest";
import { createConnectionSlots } from "../../../src/runtime/net/connection-slots.ts";

interface Held {
  readonly name: string;
  busy?: boolean;
}

function openSlots(limits = { inAll: 4, perAddress: 2 }) {
  const gone: string[] = [];
  const made = createConnectionSlots<Held>({
    limits,
    isInUse: ({ busy = false }) => busy,
    cut: ({ name }) => void gone.push(name),
  });
  const enter = (name: string, from: string, busy = false) => {
    const held = { name, busy };
    return { held, taken: made.enter(held, from) };
  };
  return { ...made, enter, gone };
}

test("an address above its limit loses its own longest unused connection", () => {
  const { enter, used, gone } = openSlots();
  enter("honest", "b");
  const { held } = enter("a1", "a");
  enter("a2", "a");
  used(held);
  expect(enter("a3", "a").taken).toBe(true);
  expect(gone).toEqual(["a2"]);
  for (let n = 4; n < 100; n++) enter(`a${n}`, "a");
  expect(gone).toHaveLength(97);
  expect(gone).not.toContain("honest");
});

test("connections in use are kept, and a new one is rejected if all are in use", () => {
  const { enter, leave, gone } = openSlots();
  const { held } = enter("a1", "a", true);
  enter("a2", "a", true);
  expect(enter("a3", "a").taken).toBe(false);
  expect(enter("b1", "b", true).taken).toBe(true);
  expect(enter("b2", "b").taken).toBe(true);
  // All slots are taken: the idle connection is closed for any address.
  expect(enter("c1", "c", true).taken).toBe(true);
  expect(gone).toEqual(["b2"]);
  expect(enter("c2", "c").taken).toBe(false);
  leave(held);
  leave(held);
  expect(enter("c2", "c").taken).toBe(true);
  expect(gone).toEqual(["b2"]);
});

test("closed connections are forgotten", () => {
  const { enter, leave, gone } = openSlots({ inAll: 1, perAddress: 1 });
  for (let n = 0; n < 10; n++) leave(enter(`a${n}`, "a").held);
  expect(enter("b", "b").taken).toBe(true);
  expect(enter("again", "b").taken).toBe(true);
  expect(gone).toEqual(["b"]);
});
