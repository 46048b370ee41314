/**
 * The connection to a libSQL server: atomic batches, and streams kept between requests as long as the server
 * keeps them.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sqld, startSqld } from "../../../../../scripts/testbed/sqld.ts";
import type { Connection } from "../../../../../src/store/libsql/database/connection.ts";
import { faultOf } from "../../../../../src/store/libsql/database/faults.ts";
import { openServer } from "../../../../../src/store/libsql/database/server/server.ts";

let server: Sqld;
let link: Connection;
let between: Awaited<ReturnType<typeof standBetween>>;
beforeEach(async () => {
  server = await startSqld();
  between = await standBetween(server.url);
  link = openServer({ at: between.url, shared: true });
  await link.script("create table t (id integer primary key, value)");
  between.bodies.length = 0;
});
afterEach(async () => {
  link.close();
  for (const relay of relays.splice(0)) {
    relay.closeAllConnections();
    relay.close();
  }
  await server.stop();
});

interface Body {
  readonly baton: string | null;
  readonly requests: readonly { readonly type: string }[];
}

const relays: Server[] = [];

/** @returns its URL. */
async function listen(handler: RequestListener): Promise<string> {
  const relay = createServer(handler);
  relays.push(relay);
  await new Promise<void>((listening) => relay.listen(0, "127.0.0.1", listening));
  const address = relay.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

/**
 * A recording proxy. It opens a new connection each time, because the server closes kept ones at its own
 * time, and requests sent at that moment fail.
 * @param change modifies the server's responses
 */
async function standBetween(target: string, change = (body: string) => body) {
  const bodies: Body[] = [];
  const url = await listen(async (request, response) => {
    const body = await text(request);
    bodies.push(JSON.parse(body));
    try {
      const answer = await fetch(`${target}${request.url}`, { method: "POST", body, keepalive: false });
      response.writeHead(answer.status).end(change(await answer.text()));
    } catch {
      response.destroy();
    }
  });
  return { bodies, url, opened: () => bodies.filter(({ baton }) => baton === null).length };
}

const insert = (id: number, value: string | number | boolean | null | Uint8Array = null) => ({
  sql: "insert into t (id, value) values (:id, :value)",
  args: { id, value },
});
const ids = async () =>
  (await link.read({ sql: "select id from t order by id", args: {} })).rows.map(([id]) => id);

test("a batch is applied completely or not at all, and the next batch on its stream works", async () => {
  const failed = await link.batch([insert(1), insert(2), insert(1)]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) });
  expect(faultOf(failed)).toBe("refused");
  expect(await ids()).toEqual([]);
  const results = await link.batch([insert(1), insert(2)]);
  expect(results.map(({ changes }) => changes)).toEqual([1, 1]);
  expect(await ids()).toEqual([1, 2]);
});

test("values round-trip; a value that SQLite cannot store is rejected", async () => {
  const values = ["text ✓", 2 ** 40, 1.5, null, new Uint8Array([0, 255]), true];
  await link.batch(values.map((value, id) => insert(id, value)));
  const { columns, rows } = await link.read({ sql: "select value from t order by id", args: {} });
  expect(columns).toEqual(["value"]);
  expect(rows.map(([value]) => value)).toEqual(["text ✓", 2 ** 40, 1.5, null, new Uint8Array([0, 255]), 1]);
  await expect(link.batch([insert(9, Number.NaN)])).rejects.toThrow(/finite/);
});

test("sequential calls use one stream for transactions and one for reads", async () => {
  for (let id = 0; id < 10; id++) {
    await link.batch([insert(id)]);
    await ids();
  }
  expect(between.bodies).toHaveLength(20);
  // Transactions continue on the stream that created the table.
  expect(between.opened()).toBe(1);
});

test("a refused transaction leaves its stream usable", async () => {
  const refused = await link.batch([insert(1), insert(1)]).catch((error: unknown) => error);
  expect(faultOf(refused)).toBe("refused");
  await link.batch([insert(2)]);
  expect(between.opened()).toBe(0);
  expect(await ids()).toEqual([2]);
});

test("without kept streams each request opens and closes its own", async () => {
  const each = openServer({ at: between.url, shared: true, keepsStreams: false });
  await each.batch([insert(1)]);
  await each.read({ sql: "select 1", args: {} });
  await each.batch([insert(2)]);
  const kinds = between.bodies.map(({ baton, requests }) => [baton, ...requests.map(({ type }) => type)]);
  expect(kinds).toEqual([
    [null, "batch", "close"],
    [null, "execute", "close"],
    [null, "batch", "close"],
  ]);
});

test("without kept streams reads are sequential, and a failed one does not block the others", async () => {
  const gate = Promise.withResolvers<void>();
  let received = 0;
  const url = await listen(async (request, response) => {
    received++;
    const body = await text(request);
    await gate.promise;
    const answer = await fetch(`${server.url}${request.url}`, { method: "POST", body });
    response.writeHead(answer.status).end(await answer.text());
  });
  const each = openServer({ at: url, shared: true, keepsStreams: false });
  const reads = ["select 1", "wrong", "select 2"].map((sql) => each.read({ sql, args: {} }));
  await expect.poll(() => received).toBe(1);
  gate.resolve();
  const [good, bad, alsoGood] = await Promise.allSettled(reads);
  expect([good, bad, alsoGood].map((read) => read?.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(received).toBe(3);
});

test("a server with two connections serves the transactions of eight nodes", async () => {
  const small = await startSqld({ connections: 2 });
  try {
    const nodes = Array.from({ length: 8 }, () =>
      openServer({ at: small.url, shared: true, keepsStreams: false }),
    );
    await nodes[0]?.script("create table t (id integer primary key, value)");
    await Promise.all(nodes.map((node, number) => writeMany(node, number * 100)));
    const count = await nodes[0]?.read({ sql: "select count(*) from t", args: {} });
    expect(count?.rows).toEqual([[8 * 20]]);
  } finally {
    await small.stop();
  }
});

/** Sequentially; retries after contention or a lost response. */
async function writeMany(node: Connection, first: number): Promise<void> {
  const sql = "insert into t (id, value) values (:id, :value) on conflict (id) do nothing";
  for (let id = first; id < first + 20; id++)
    for (;;) {
      const args = { id, value: "x".repeat(20_000) };
      const failed = await node.batch([{ sql, args }]).then(() => undefined, faultOf);
      if (failed === undefined) break;
      expect(failed).toMatch(/^(busy|crowded|ambiguous)$/);
    }
}

test("of many concurrent reads one stream is kept; the others are closed by their own request", async () => {
  await Promise.all(Array.from({ length: 20 }, () => ids()));
  const closing = between.bodies.filter(({ requests }) => requests.at(-1)?.type === "close");
  expect(closing).toHaveLength(19);
  await ids();
  expect(between.opened()).toBe(closing.length + 1);
});

test("a transaction waits while the server is alive, and fails as ambiguous if it is silent", async () => {
  const askedTwice = Promise.withResolvers<void>();
  let healthChecks = 0;
  const url = await listen(async (request, response) => {
    if (request.url === "/health") {
      if (++healthChecks === 2) askedTwice.resolve();
      return response.writeHead(200).end();
    }
    const body = await text(request);
    await askedTwice.promise;
    const answer = await fetch(`${server.url}${request.url}`, { method: "POST", body });
    response.writeHead(answer.status).end(await answer.text());
  });
  const slow = openServer({ at: url, shared: true });
  await slow.batch([insert(1)]);
  expect(await ids()).toEqual([1]);

  const silent = openServer({ at: await listen(() => {}), shared: true });
  const failure = await silent.batch([insert(2)]).catch((error: unknown) => error);
  expect(faultOf(failure)).toBe("ambiguous");
});

test("a transaction on a stream unknown to the server is repeated once, on a new stream", async () => {
  const forging = await standBetween(server.url, (body) =>
    body.replace(/"baton":"[^"]*"/, '"baton":"of-another-life"'),
  );
  const forged = openServer({ at: forging.url, shared: true });
  await forged.batch([insert(1)]);
  await forged.batch([insert(2)]);
  expect(forging.bodies.map(({ baton }) => baton)).toEqual([null, "of-another-life", null]);
  expect(await ids()).toEqual([1, 2]);
});

/** Pretends that `begin` waited this long for the lock. */
const waiting = (ms: number) => (body: string) =>
  body.replace(/"query_duration_ms":[\d.e-]+/, `"query_duration_ms":${ms}`);

test("closing the connection closes its streams", async () => {
  const quick = await standBetween(server.url, waiting(0));
  const node = openServer({ at: quick.url, shared: true });
  await node.batch([insert(1)]);
  await node.read({ sql: "select 1", args: {} });
  node.close();
  await expect.poll(() => quick.bodies).toHaveLength(4);
  expect(quick.bodies.map(({ requests }) => requests[0]?.type).slice(2)).toEqual(["close", "close"]);
});

test("a stream that had to wait for the lock is not closed on the server", async () => {
  const slow = await standBetween(server.url, waiting(50));
  const node = openServer({ at: slow.url, shared: true });
  await node.batch([insert(1)]);
  await node.read({ sql: "select 1", args: {} });
  node.close();
  await expect.poll(() => slow.bodies).toHaveLength(3);
  // The closed stream is the one for reads, which was opened second.
  expect(slow.bodies.map(({ requests }) => requests[0]?.type)).toEqual(["batch", "execute", "close"]);
});

test("responses are requested uncompressed", async () => {
  const encodings = new Set<string | undefined>();
  const url = await listen((request, response) => {
    encodings.add(request.headersDistinct["accept-encoding"]?.join());
    response.writeHead(400).end("no");
  });
  const connection = openServer({ at: url, shared: true });
  await expect(connection.read({ sql: "select 1", args: {} })).rejects.toThrow();
  await expect(connection.batch([insert(1)])).rejects.toThrow();
  expect(encodings).toEqual(new Set(["identity"]));
});

test("a server without Hrana 3 is used through the package's client", async () => {
  const paths = new Set<string | undefined>();
  const url = await listen(async (request, response) => {
    paths.add(request.url);
    if (request.url?.startsWith("/v3/")) return response.writeHead(404).end();
    const answer = await fetch(`${server.url}${request.url}`, { method: "POST", body: await text(request) });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  const old = openServer({ at: url, shared: true });
  const many = [1, 2, 3].map((id) => old.batch([insert(id, "✓")]));
  expect((await Promise.all(many)).map(([rows]) => rows?.changes)).toEqual([1, 1, 1]);
  const twice = await old.batch([insert(4), insert(4)]).catch((error: unknown) => error);
  expect(faultOf(twice)).toBe("refused");
  const { columns, rows } = await old.read({ sql: "select id, value from t order by id", args: {} });
  expect([columns, rows]).toEqual([["id", "value"], [1, 2, 3].map((id) => [id, "✓"])]);
  expect([...paths]).toEqual(["/v3/pipeline", "/v2/pipeline"]);
  old.close();
});

test("a node that cannot get a stream from a crowded server is told why", async () => {
  const small = await startSqld({ connections: 2 });
  try {
    const node = openServer({ at: small.url, shared: true });
    const other = openServer({ at: small.url, shared: true, keepsStreams: false });
    await node.script("create table t (id integer primary key, value)");
    // A server closes a stream that was idle for ten seconds.
    const outcome = async () => {
      await node.batch([{ sql: "select 1", args: {} }]);
      await node.read({ sql: "select 1", args: {} });
      const write = { sql: "insert or ignore into t (id) values (1)", args: {} };
      const failed: unknown = await other.batch([write]).catch((error: unknown) => error);
      return `${faultOf(failed)}: ${failed}`;
    };
    await expect.poll(outcome).toMatch(/^crowded: .*streams=each.*docs\/guides\/scaling\.md/);
  } finally {
    await small.stop();
  }
});
