/** Hooks on two nodes of one libSQL server: a delivery that reaches both starts one run, also if one of them is killed. */
import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Sqld, startSqld } from "../../../scripts/testbed/sqld.ts";
import type { HookAnswer, WrittenHook } from "../../../src/api/recipes/hook.ts";
import type { ListedRun } from "../../../src/api/recipes/recipe.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const dataDirs = [tempFolder(), tempFolder()];
let sqld: Sqld;
let nodes: Service[];
let hook: WrittenHook;
const start = (at: number) =>
  startService({
    dataDir: dataDirs[at] ?? "",
    env: {
      PATCHBAY_DATABASE_URL: sqld.url,
      PATCHBAY_MASTER_KEY: "ab".repeat(32),
      PATCHBAY_NODE: `node-${at}`,
    },
  });

beforeAll(async () => {
  sqld = await startSqld();
  nodes = [await start(0)];
  nodes.push(await start(1));
  const recipe = {
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    steps: [{ name: "say", kind: "render", request: { name: "jinja2", template: "run {{ n }}" } }],
  };
  const put = async () => (await nodes[0]?.call("PUT", "/recipe/say", recipe))?.status;
  // A new store is being made.
  await vi.waitFor(async () => expect(await put()).toBe(201), { timeout: 60_000, interval: 100 });
  const spec = { name: "both", provider: "github", map: { n: "body.n" } };
  const made = await nodes[0]?.call<WrittenHook>("POST", "/recipe/say/hook", spec);
  expect(made?.status).toBe(201);
  if (made) hook = made.body.data;
}, 240_000);
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.close()));
  await sqld?.stop();
});

async function deliver(at: number, text: string, id: string): Promise<HookAnswer | undefined> {
  const hash = createHmac("sha256", hook.secret ?? "")
    .update(text)
    .digest("hex");
  try {
    const answer = await fetch(`${nodes[at]?.url}${hook.path}`, {
      ...{ method: "POST", body: text },
      headers: {
        ...{ "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${hash}` },
        ...{ "X-GitHub-Delivery": id, "X-GitHub-Event": "push" },
      },
    });
    const { data }: { data: HookAnswer } = JSON.parse(await answer.text());
    return answer.ok ? data : undefined;
  } catch {
    return undefined;
  }
}
const runsOf = async (n: number) => {
  const node = nodes[1];
  const runs = (await node?.call<ListedRun[]>("GET", "/recipe/say/run?limit=500"))?.body.data ?? [];
  const whole = await Promise.all(
    runs.map(
      async ({ id }) =>
        (await node?.call<{ parameters: { n: number } }>("GET", `/recipe/say/run/${id}`))?.body.data,
    ),
  );
  return whole.filter((run) => run?.parameters.n === n).length;
};

test("of many copies that arrive at both nodes at once, one starts a run", async () => {
  const id = randomUUID();
  const text = JSON.stringify({ n: 1 });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => deliver(at % 2, text, id)));
  const told = answers.flatMap((answer) => answer ?? []);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told.map(({ run }) => run)).size).toBe(1);
  expect(await deliver(1, text, id)).toMatchObject({ outcome: "repeated", run: told[0]?.run });
  expect(await runsOf(1)).toBe(1);
}, 120_000);

test("killed on one node while the other gets it too: one run, which ends", async () => {
  for (let n = 10; n < 14; n++) {
    const id = randomUUID();
    const text = JSON.stringify({ n });
    const first = deliver(0, text, id);
    await Bun.sleep(Math.random() * 60);
    const [, second] = await Promise.all([nodes[0]?.kill("SIGKILL"), deliver(1, text, id)]);
    await first;
    const again = await deliver(1, text, id);
    expect([n, again?.run ?? null]).toEqual([n, second?.run ?? again?.run]);
    const ended = async () =>
      (await nodes[1]?.call<{ state: string }>("GET", `/recipe/say/run/${again?.run}`))?.body.data.state;
    await expect.poll(ended, { timeout: 120_000 }).toBe("finished");
    expect(await runsOf(n)).toBe(1);
    nodes[0] = await start(0);
  }
}, 600_000);
