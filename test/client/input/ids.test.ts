/** Ids as people write them: by their first characters, or `last`. */
import { parse } from "valibot";
import { expect, test } from "vitest";
import { idNamed } from "../../../src/client/input/ids.ts";
import { momentOf } from "../../../src/client/output/numbers.ts";
import type { Api } from "../../../src/client/service/api.ts";

const first = "0199f3c2-1a2b-7000-9c3e-2b1f6e000001";
const second = "0199f3c2-1a2b-7001-9c3e-2b1f6e000002";
const record = (id: string) => ({
  id,
  status: "finished",
  created_at: "2026-11-22T08:00:00.000+00:00",
  host: "r1",
});

/** A service that has these jobs; tells what was asked. */
function service(ids: readonly string[]) {
  const asked: object[] = [];
  const api: Pick<Api, "call"> = {
    async call(path, schema, { query = {} } = {}) {
      asked.push({ path, ...query });
      const prefix = String(query.id_prefix ?? "").toLowerCase();
      const matching = ids.filter((id) => id.startsWith(prefix)).slice(0, Number(query.limit));
      return parse(schema, matching.map(record));
    },
  };
  return { api: api as Api, asked };
}

test("a whole id, or what is no part of one, is sent as it is", async () => {
  const { api, asked } = service([]);
  expect(await idNamed(api, "job", first)).toBe(first);
  expect(await idNamed(api, "bulk", "abc")).toBe("abc");
  expect(await idNamed(api, "bulk", "nightly")).toBe("nightly");
  expect(asked).toEqual([]);
});

test("the first characters of an id are enough if no other id begins so", async () => {
  const { api, asked } = service([second, first]);
  expect(await idNamed(api, "job", "0199F3C2-1a2b-7001")).toBe(second);
  expect(asked[0]).toMatchObject({ path: "/job", id_prefix: "0199F3C2-1a2b-7001" });
  await expect(idNamed(api, "bulk", "0199f3c2")).rejects.toMatchObject({
    kind: "Validation",
    message: expect.stringContaining(`${second}  finished  r1  2026-11-22 08:00:00`),
  });
  await expect(idNamed(api, "job", "ffff")).rejects.toThrow("There is no job whose id begins with ffff.");
});

test("the word last is the newest that was submitted with this key", async () => {
  const { api, asked } = service([second, first]);
  expect(await idNamed(api, "bulk", "last")).toBe(second);
  expect(asked).toEqual([{ path: "/bulk", submitted_by: "me", limit: 1 }]);
  await expect(idNamed(service([]).api, "job", "last")).rejects.toThrow("submitted with this key");
});

test("times may say how long ago they were", () => {
  const now = Date.parse("2026-11-22T08:00:00Z");
  expect(momentOf("2h", now)).toBe("2026-11-22T06:00:00.000Z");
  expect(momentOf("30 m", now)).toBe("2026-11-22T07:30:00.000Z");
  expect(momentOf("1w", now)).toBe("2026-11-15T08:00:00.000Z");
  expect(momentOf("2026-11-20", now)).toBe("2026-11-20");
  expect(momentOf(undefined, now)).toBeUndefined();
});
