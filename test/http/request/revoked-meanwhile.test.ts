/** A key that is revoked or gets other hosts or rights while its request is answered gets no more of the answer. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ListedJob } from "../../../src/api/jobs/job.ts";
import type { HttpOptions } from "../../../src/http/port.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { callerWith, createApp, keys, noFiles, query } from "../doubles/fixtures.ts";
import { noExchange } from "../doubles/no-inventory.ts";
import { jobRecord, madeKey, ticket } from "../doubles/records.ts";

afterEach(() => vi.restoreAllMocks());

type Later = () => ReturnType<HttpOptions["authenticate"]>;
const revoked: Later = async () => undefined;
const otherHosts: Later = async () => ({ ...callerWith("admin", null), hosts: ["10.0.0.0/8"] });
const otherRights: Later = async () => ({ ...callerWith("admin", null), rights: ["history_secrets"] });
const asBefore: Later = async () => callerWith("admin", null);

function pass(ms: number): void {
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + ms);
}

function appWith(later: Later, jobs: Partial<Jobs>) {
  let looks = 0;
  const authenticate: HttpOptions["authenticate"] = async () =>
    looks++ === 0 ? callerWith("admin", null) : later();
  return createApp(jobs, { authenticate });
}

describe("a long list", () => {
  const pages = 4;
  const large = "x".repeat(100_000);
  async function* slowly(): AsyncGenerator<ListedJob[]> {
    for (let page = 0; page < pages; page++) {
      yield [{ ...jobRecord(page), id: `job-${page}`, label: large }];
      pass(20_000);
    }
  }

  /** @returns how many of the jobs arrived */
  async function readBy(later: Later, path: string): Promise<number> {
    const { app } = appWith(later, { list: slowly });
    const headers = { "x-api-key": keys.admin };
    const connection = { from: null, extendTimeout() {}, restoreTimeout() {} };
    const answer = await app.fetch(new Request(`http://patchbay.example${path}`, { headers }), connection);
    let text = "";
    const decoder = new TextDecoder();
    try {
      for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true });
    } catch {
      // The connection is cut, so that what arrived cannot be taken for the whole.
    }
    return text.match(/job-\d/g)?.length ?? 0;
  }

  test.each(["/job", "/job/export?format=jsonl", "/job/export?format=csv"])("%s is cut", async (path) => {
    expect(await readBy(asBefore, path)).toBe(pages);
    expect(await readBy(revoked, path)).toBeLessThan(pages);
    expect(await readBy(otherHosts, path)).toBeLessThan(pages);
    expect(await readBy(otherRights, path)).toBeLessThan(pages);
  });
});

describe("a request that waits for its job", () => {
  const waiting: Partial<Jobs> = {
    submit: async () => ticket,
    async waitFor() {
      pass(20_000);
      return jobRecord(1);
    },
  };
  const ask = (later: Later) =>
    appWith(later, waiting).send("/device/execute", { body: query, headers: { Prefer: "wait=60" } });

  test("of a key in force it is told the result, also if it has other hosts by then", async () => {
    expect((await ask(asBefore)).status).toBe(201);
    expect((await ask(otherHosts)).status).toBe(201);
  });

  test("of a revoked key it is told nothing of the result", async () => {
    const answer = await ask(revoked);
    expect([answer.status, answer.text.includes("version 1")]).toEqual([403, false]);
  });
});

describe("a body that arrives slowly", () => {
  const slow = (text: string) =>
    new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pass(20_000);
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      },
      // Nothing is made before it is asked for.
      { highWaterMark: 0 },
    );
  const unchanged = {
    ...{ dry_run: false, added: 0, changed: 0, removed: 0, unchanged: 1 },
    ...{ diff: [], diff_truncated: false, revision: 1 },
  };
  const added = vi.fn(async () => madeKey);
  const imported = vi.fn(async () => ({ answer: unchanged, warnings: [] }));
  const stored = vi.fn(async (_name: string, body: AsyncIterable<Uint8Array>) => {
    for await (const _piece of body) pass(20_000);
    return { name: "a", size: 1, modified_at: "", sha256: "", replaced: false };
  });

  function sendBy(later: Later, method: string, path: string, text: string) {
    let looks = 0;
    const authenticate: HttpOptions["authenticate"] = async () =>
      looks++ === 0 ? callerWith("admin", null) : later();
    const inventoryExchange = { ...noExchange, importText: imported };
    const files = { ...noFiles, put: stored };
    const { send } = createApp({ addKey: added }, { authenticate, inventoryExchange, files });
    return send(path, { method, body: slow(text) });
  }

  test.each([
    ["POST", "/key", '{"name":"backdoor","scope":"admin"}', added],
    ["POST", "/inventory/import?format=csv", "name\nr1\n", imported],
  ])("%s %s of a key that was revoked meanwhile does nothing", async (method, path, text, done) => {
    done.mockClear();
    expect((await sendBy(revoked, method, path, text)).status).toBe(403);
    expect((await sendBy(otherHosts, method, path, text)).status).toBe(403);
    expect((await sendBy(otherRights, method, path, text)).status).toBe(403);
    expect(done).not.toHaveBeenCalled();
    expect((await sendBy(asBefore, method, path, text)).status).toBeLessThan(300);
    expect(done).toHaveBeenCalledOnce();
  });

  test("an upload of a key that was revoked meanwhile is aborted", async () => {
    expect((await sendBy(revoked, "PUT", "/file/a", "x")).status).toBe(403);
    expect((await sendBy(asBefore, "PUT", "/file/a", "x")).status).toBe(201);
  });
});
