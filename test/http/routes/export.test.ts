/**
 * Exports: CSV without formulas, JSON lines, a zip with safe names; streamed, limited, and only what the key
 * may see.
 */
import { describe, expect, test } from "vitest";
import type { ListedJob } from "../../../src/api/jobs/job.ts";
import { yieldToEventLoop } from "../../../src/base/time/yield.ts";
import { csvHead, csvOf } from "../../../src/http/export/csv.ts";
import { contentOf, createNames } from "../../../src/http/export/zip.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { createAdmission } from "../../../src/limits/admission.ts";
import { createQuota } from "../../../src/limits/quota.ts";
import { startNode } from "../../support/node.ts";
import { readZip } from "../../support/read-zip.ts";
import { temporary } from "../../support/temporary.ts";
import { callerWith, createApp, jobRecord, keys, spy } from "../doubles/fixtures.ts";

const asked = {
  driver: "netmiko",
  command: "show version",
  connection_args: { device_type: "cisco_ios", username: "u", password: "p" },
};

const withOutput = (retval: Record<string, unknown>, more: Partial<ListedJob> = {}): ListedJob => ({
  ...jobRecord(1),
  result: { type: "success", retval, error: null },
  ...more,
});
const failed = (retval: Record<string, unknown> | null = null): ListedJob => ({
  ...jobRecord(2),
  status: "failed",
  result: { type: "failed", retval, error: { type: "AuthenticationFailed", message: "refused" } },
});

/** An app whose list returns these. */
function appWith(pieces: ListedJob[][], options: Parameters<typeof createApp>[1] = {}) {
  const list = spy<Parameters<Jobs["list"]>, ReturnType<Jobs["list"]>>(async function* () {
    yield* pieces;
  });
  return { ...createApp({ list }, options), list };
}

function get({ app }: Pick<ReturnType<typeof createApp>, "app">, path: string): Promise<Response> {
  const request = new Request(`http://patchbay.example${path}`, { headers: { "x-api-key": keys.read } });
  return app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} });
}

async function bytesOf(app: ReturnType<typeof appWith>, path: string): Promise<Buffer> {
  const response = await get(app, path);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe("csv", () => {
  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1"])(
    "%j is not a formula",
    (text) => {
      expect(csvOf(withOutput({ x: text }))).toContain(`'${text}`);
    },
  );

  test("quotes cells with quotes, commas and line breaks", () => {
    expect(csvOf(withOutput({ "show, all": 'a "b"\nc' }))).toContain('"show, all","a ""b""\nc"');
  });

  test("writes a row for each output, and one for a job without any", () => {
    const lines = (job: ListedJob) => csvOf(job).split("\r\n").length - 1;
    expect(lines(withOutput({ a: "1", b: "2" }))).toBe(2);
    expect(csvOf({ ...failed(), command: "show version" })).toMatch(
      /,failed,AuthenticationFailed,refused,show version,,/,
    );
    expect(lines({ ...jobRecord(3), status: "queued", result: null })).toBe(1);
  });

  test("writes records of a parser as JSON", () => {
    expect(csvOf(withOutput({ x: [{ a: 1 }] }))).toContain('""a"": 1');
  });

  test("every row has as many cells as the header", () => {
    const cells = csvOf(withOutput({ x: "1" }))
      .trimEnd()
      .split(",").length;
    expect(cells).toBe(csvHead.trimEnd().split(",").length);
  });
});

describe("file names", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1.txt"],
    ["2001:db8::1", "2001_db8__1.txt"],
    ["../../etc/passwd", "__.._etc_passwd.txt"],
    ["/etc/passwd", "_etc_passwd.txt"],
    ["..", "_.txt"],
    ["C:\\x", "C__x.txt"],
    ["con", "_con.txt"],
    ["LPT1.lab", "_LPT1.lab.txt"],
    ["-rf", "_rf.txt"],
    ["", "_.txt"],
    ["a".repeat(300), `${"a".repeat(100)}.txt`],
  ])("%s becomes %s", (host, name) => {
    expect(createNames()(host)).toBe(name);
  });

  test("are unique regardless of case", () => {
    const nameOf = createNames();
    const names = ["r1", "R1", "r1", "r:1", "r/1", "incomplete"].map(nameOf);
    expect(names).toEqual(["r1.txt", "R1_2.txt", "r1_3.txt", "r_1.txt", "r_1_2.txt", "incomplete_2.txt"]);
  });
});

test("are made as fast for many jobs of one device as for many devices", () => {
  const nameOf = createNames();
  // If each search started at the first name, this would try five thousand million names.
  const names = new Set(Array.from({ length: 100_000 }, () => nameOf("r1")));
  expect(names.size).toBe(100_000);
});

describe("file contents", () => {
  test("one output is written as it is, several with their commands", () => {
    expect(contentOf(withOutput({ "show run": "hostname r1" }))).toBe("hostname r1\n");
    expect(contentOf(withOutput({ a: "1\n", b: "2" }))).toBe("# finished\n\n# a\n1\n\n# b\n2\n");
  });

  test("a failure is written with the output so far", () => {
    expect(contentOf(failed({ a: "1" }))).toBe("# failed: AuthenticationFailed: refused\n\n# a\n1\n");
    expect(contentOf({ ...jobRecord(1), status: "running", result: null })).toBe("# running\n");
  });
});

describe.each(["/job/export", "/bulk/b-1/export"])("GET %s", (path) => {
  const pieces = [[withOutput({ a: "1" })], [failed()], [withOutput({ b: "2" }, { host: "192.0.2.1" })]];

  test("returns csv, JSON lines and zip with their content types", async () => {
    const app = appWith(pieces);
    const csv = (await bytesOf(app, `${path}?format=csv`)).toString();
    expect(csv.startsWith(csvHead)).toBe(true);
    expect(csv.split("\r\n").length).toBe(5);
    const lines = (await bytesOf(app, path)).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(pieces.flat())));
    const files = readZip(await bytesOf(app, `${path}?format=zip`));
    expect(files.map(({ name }) => name)).toEqual(["192.0.2.1.txt", "192.0.2.1_2.txt", "192.0.2.1_3.txt"]);
    const { headers } = await get(app, `${path}?format=zip`);
    expect(headers.get("Content-Type")).toBe("application/zip");
    expect(headers.get("Content-Disposition")).toMatch(/^attachment; filename="(jobs|bulk-b-1)\.zip"$/);
  });

  test("rejects an unknown format", async () => {
    const answer = await createApp().send(`${path}?format=xlsx`);
    expect(answer).toMatchObject({ status: 422, body: { data: [{ path: "format" }] } });
  });

  test("counts as a list request and is limited", async () => {
    const admission = createAdmission();
    const lists = createQuota("lists under way", { inAll: 0, perKey: 0 });
    const answer = await appWith(pieces, { admission: { ...admission, lists } }).send(path);
    expect(answer.status).toBe(429);
  });

  test("releases its slot when read and when the reader stalls", async () => {
    const admission = createAdmission();
    const app = appWith(pieces, { admission });
    await bytesOf(app, `${path}?format=zip`);
    const response = await get(app, path);
    await response.body?.cancel();
    expect([admission.lists.held(), admission.requests.held()]).toEqual([0, 0]);
  });
});

test("answers 404 for an unknown bulk and for an impossible id", async () => {
  const app = appWith([]);
  expect((await app.send("/bulk/b-1/export")).status).toBe(404);
  expect((await app.send(`/bulk/${encodeURIComponent('a"b')}/export`)).status).toBe(404);
  expect((await app.send("/job/export")).status).toBe(200);
});

test("applies the filters of GET /job, or exports one bulk", async () => {
  const app = appWith([[jobRecord(1)]]);
  await bytesOf(app, "/job/export?format=csv&host=r1&status=failed");
  await bytesOf(app, "/bulk/b-1/export?format=csv&cursor=x");
  const signal = expect.any(AbortSignal);
  expect(app.list.calls.map(([filter, caller, page]) => [filter, caller.keyId, page])).toEqual([
    [{ host: "r1", status: "failed" }, "id-read", { signal }],
    [{ bulk_id: "b-1" }, "id-read", { cursor: "x", signal }],
  ]);
});

test("exports only jobs of the hosts of a limited key", async () => {
  const folder = temporary();
  const node = await startNode({ directory: folder.path });
  const devices = [{ host: "10.0.0.1" }, { host: "192.0.2.1" }];
  const { bulk_id } = await node.bulk({ ...asked, devices });
  await node.jobs.waitForBulk(bulk_id, 100_000, new AbortController().signal);
  const limitedTo = (hosts: string[]) =>
    createApp(node.jobs, { authenticate: async () => ({ ...callerWith("read"), keyId: "k9", hosts }) });
  for (const path of ["/job/export?format=csv", `/bulk/${bulk_id}/export?format=csv`]) {
    const { text } = await limitedTo(["10.0.0.0/8"]).send(path);
    expect([text.includes("10.0.0.1"), text.includes("192.0.2.1")]).toEqual([true, false]);
  }
  expect((await limitedTo(["172.16.0.0/12"]).send(`/bulk/${bulk_id}/export`)).status).toBe(404);
  await node.stop();
  folder.remove();
});

test("requires a key before reading anything", async () => {
  let asked = 0;
  const list: Jobs["list"] = async function* () {
    for (let n = 0; n < 10_000; n++) {
      asked++;
      yield [withOutput({ a: "x".repeat(70_000) }, { host: `r${n}` })];
    }
  };
  const app = createApp({ list });
  expect((await app.send("/job/export", { key: null })).status).toBe(403);
  for (const format of ["csv", "jsonl", "zip"]) {
    asked = 0;
    const reader = (await get(app, `/job/export?format=${format}`)).body?.getReader();
    await reader?.read();
    await reader?.read();
    expect(asked).toBeLessThan(20);
    await reader?.cancel();
  }
});

/** Reads all of them, and counts the turns of the event loop meanwhile: what small requests of others get. */
async function turnsWhileRead(responses: readonly Response[]): Promise<number> {
  let turns = 0;
  let over = false;
  const all = Promise.all(responses.map((response) => response.arrayBuffer())).then(() => (over = true));
  while (!over) {
    turns++;
    await yieldToEventLoop();
  }
  await all;
  return turns;
}

test.each(["/job/export?format=csv", "/job/export", "/job/export?format=zip", "/job"])(
  "GET %s gives way while it is made, however many are made side by side",
  async (path) => {
    const page = Array.from({ length: 400 }, (_, n) => withOutput({ a: "1" }, { host: `r${n}` }));
    const app = appWith(Array.from({ length: 25 }, () => page));
    const responses = await Promise.all(Array.from({ length: 8 }, () => get(app, path)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await turnsWhileRead(responses)).toBeGreaterThan(20);
  },
);
