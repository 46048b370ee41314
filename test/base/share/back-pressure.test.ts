/** Devices that send without end do not take the turns of another key's devices, and each is read in its turn. */
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { applyBackPressure, heldMs, holdReading, ownedBy } from "../../../src/base/share/back-pressure.ts";

/** Sends chunks as fast as they are read. */
function device(chunks: number): Duplex {
  let sent = 0;
  return new Duplex({
    highWaterMark: 64,
    // Each read arrives in a turn of its own, as from a socket.
    read() {
      setImmediate(() => this.push(sent++ < chunks ? Buffer.alloc(64) : null));
    },
    write: (_chunk, _encoding, done) => done(),
  });
}

/** Takes each chunk in as a terminal does, which takes a millisecond. */
function taken(stream: Duplex, onChunk: () => void): Promise<void> {
  stream.on("data", () => {
    applyBackPressure(stream);
    for (const until = performance.now() + 1; performance.now() < until; );
    onChunk();
  });
  return new Promise((resolve) => stream.on("end", resolve));
}

test("forty devices of one key that send without end cost another key's device few turns", async () => {
  let flooded = 0;
  const flooding = Array.from({ length: 40 }, () => device(Number.POSITIVE_INFINITY));
  for (const stream of flooding) {
    ownedBy(stream, "many");
    void taken(stream, () => flooded++);
  }
  const calm = device(30);
  ownedBy(calm, "one");
  let floodedAtFirst = 0;
  let chunks = 0;
  await taken(calm, () => {
    if (chunks++ === 0) floodedAtFirst = flooded;
  });
  for (const stream of flooding) stream.destroy();
  expect(chunks).toBe(30);
  // Without turns each of the forty is read as often as this one: 1,160 chunks.
  expect(flooded - floodedAtFirst).toBeLessThan(700);
});

test("devices of one key are all read in their turn, to the end", async () => {
  const counts = Array.from({ length: 20 }, () => 0);
  await Promise.all(
    counts.map((_, at) => {
      const stream = device(20);
      ownedBy(stream, "one");
      return taken(stream, () => (counts[at] = (counts[at] ?? 0) + 1));
    }),
  );
  expect(counts).toEqual(Array.from({ length: 20 }, () => 20));
});

test("a stream that waits for its turn stays paused while the peer reads no replies", async () => {
  const stream = device(Number.POSITIVE_INFINITY);
  let drained: (() => void) | undefined;
  stream._write = (_chunk, _encoding, done) => {
    drained = done;
  };
  stream.write(Buffer.alloc(5 * 1024 * 1024));
  applyBackPressure(stream);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.isPaused()).toBe(true);
  drained?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.isPaused()).toBe(false);
  stream.destroy();
});

test("a held device is not read until everybody who holds it lets go", async () => {
  const stream = device(20);
  let chunks = 0;
  const end = taken(stream, () => chunks++);
  expect(heldMs(stream)).toBe(0);
  const [first, second] = [holdReading(stream), holdReading(stream)];
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = chunks;
  first();
  first();
  await new Promise((resolve) => setTimeout(resolve, 20));
  // What was on its way when it was held.
  expect(chunks - before).toBeLessThan(2);
  expect(heldMs(stream)).toBeGreaterThan(0);
  second();
  await end;
  expect(chunks).toBe(20);
});
