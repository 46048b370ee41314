/** What a libSQL server is asked, beside the statements themselves. */
import { expect, test } from "vitest";
import { openServer } from "../../../../src/store/libsql/database/server.ts";

test("no answer of the server is packed: packing took most of its time", async () => {
  const asked: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(request.headers.get("accept-encoding"));
      return new Response("no", { status: 400 });
    },
  });
  try {
    const connection = openServer({ at: `http://127.0.0.1:${server.port}`, shared: true });
    await expect(connection.read({ sql: "select 1", args: {} })).rejects.toThrow();
    await expect(connection.batch([{ sql: "select 1", args: {} }])).rejects.toThrow();
    connection.close();
  } finally {
    await server.stop(true);
  }
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set(["identity"]));
});
