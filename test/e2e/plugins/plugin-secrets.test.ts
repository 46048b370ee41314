/** P38: plugins of all four kinds output every secret wherever they can, and it is found nowhere. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { filesIn } from "../../../src/base/files/file-below.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const loud = `
const forms = (text) => [text, Buffer.from(text).toString("base64"), Buffer.from(text).toString("hex"), encodeURIComponent(text), JSON.stringify({ text })].join(" ; ");
const say = (log, ...secrets) => { for (const secret of secrets) { console.log("got", forms(secret), { secret }); log.warn("got " + secret, { secret: forms(secret) }); } };
`;
const plugins: Record<string, string> = {
  driver: `
import { PluginError, defineDriver, secret, v } from "patchbay/plugin"; ${loud}
export default defineDriver({
  name: "loud-driver", strategy: "pinned", target: ({ host }) => ({ host, port: 1 }),
  settings: v.object({ site_key: secret(v.string()) }),
  connection: v.looseObject({ host: v.string(), word: secret(v.string()) }),
  query: v.object({ answer: v.optional(secret(v.string())) }), configure: v.object({}),
  check([command], { answer }) {
    if (command === "main throws late") setTimeout(() => { throw new Error("thrown late with " + forms(answer.reveal())); }, 1);
    if (command === "main rejects late") void Promise.reject(new Error("rejected late with " + forms(answer.reveal())));
    return [];
  },
  async open({ connection, settings, log, hide }, ctx) {
    const token = "canary-session-token";
    hide(token);
    let uses = 0;
    const all = [...[connection.word, settings.site_key].map((one) => one.reveal()), token];
    say(log, ...all);
    if (connection.host === "refused.test") throw new PluginError("AuthenticationFailed", "no: " + all.map(forms), { output: all.join() });
    return {
      async query(command, { answer }, ctx) {
        const told = [...all, ...(answer ? [answer.reveal()] : [])];
        say(ctx.log, ...told);
        ctx.warn("asked with " + told.map(forms));
        await ctx.announce(told);
        if (command === "reject late") void Promise.reject(new Error("rejected late with " + told.map(forms)));
        if (command === "throw late") setTimeout(() => { throw new Error("thrown late with " + told.map(forms)); }, 1);
        if (command === "crash") throw new Error("crashed with " + told.map(forms), { cause: told });
        return { [told[0]]: told.map(forms), nested: [told], uses: ++uses };
      },
      reusable: async () => true,
      async configure(lines) { throw new PluginError("CommandError", "refused " + forms(all[0]), { command: all[0], output: all.map(forms).join(), sent: [...lines, all[1]] }); },
    };
  },
});`,
  credential: `
import { PluginError, defineCredentialSource, secret, v } from "patchbay/plugin"; ${loud}
export default defineCredentialSource({
  name: "loud-source",
  settings: v.object({ token: secret(v.string()) }),
  reference: v.object({ name: v.literal("loud-source"), pin: secret(v.string()), fail: v.optional(v.boolean(), false) }),
  async resolve({ reference, settings, log }) {
    const all = [reference.pin.reveal(), settings.token.reveal()];
    say(log, ...all);
    if (reference.fail) throw new PluginError("DriverError", "not with " + all.map(forms), { output: all.join() });
    return { word: "canary-sourced-word" };
  },
});`,
  webhook: `
import { defineWebhook, secret, v } from "patchbay/plugin"; ${loud}
export default defineWebhook({
  name: "loud-hook",
  settings: v.object({ bot_key: secret(v.string()) }),
  options: v.object({ name: v.literal("loud-hook"), room: v.string(), pass: secret(v.string()) }),
  plan: ({ room }) => ({ receiver: room, retries: 0, intervals: [1], timeout: 10 }),
  async deliver({ options, settings, payload, http, log }, ctx) {
    const all = [options.pass, settings.bot_key].map((one) => one.reveal());
    say(log, ...all);
    await http.request(options.room, { method: "POST", body: payload }, ctx);
    return { ok: false, status: 500, message: "the room says " + all.map(forms) };
  },
});`,
  engine: `
import { TemplateError, defineTemplateEngine, secret, v } from "patchbay/plugin"; ${loud}
export default defineTemplateEngine({
  name: "loud-engine", does: "render",
  settings: v.object({ seed: secret(v.string()) }),
  args: v.object({ spice: secret(v.string()) }),
  compile(source, { spice }, { settings, log }) {
    const all = [spice, settings.seed].map((one) => one.reveal());
    say(log, ...all);
    if (source === "syntax") throw new TemplateError("TemplateSyntax", "not with " + all.map(forms), { line: 1, template: all[0] });
    return { run(context, ctx) {
      const told = [...all, JSON.parse(context).password];
      say(ctx.log, ...told);
      ctx.warn("rendered with " + told.map(forms));
      if (source === "runtime") throw new TemplateError("TemplateRuntime", "not with " + told.map(forms), { line: 1 });
      if (source === "crash") throw new Error("crashed with " + told.map(forms));
      return "done";
    } };
  },
});`,
};
const secrets = {
  PATCHBAY_PLUGIN_LOUD_DRIVER_SITE_KEY: "canary-site-key",
  PATCHBAY_PLUGIN_LOUD_SOURCE_TOKEN: "canary-source-token",
  PATCHBAY_PLUGIN_LOUD_HOOK_BOT_KEY: "canary-bot-key",
  PATCHBAY_PLUGIN_LOUD_ENGINE_SEED: "canary-engine-seed",
};
/** The prefix of every secret, plain, in hex, and in base64 at each of the three offsets. */
const canary = /canary-|Y2FuYXJ5|NhbmFyeS|jYW5hcnkt|63616e6172792d/i;

describe("plugins that output secrets", () => {
  let service: Service;
  let room: Awaited<ReturnType<typeof startRoom>>;
  const folder = tempFolder();
  beforeAll(async () => {
    for (const [name, text] of Object.entries(plugins)) writeFileSync(join(folder, `${name}.ts`), text);
    room = await startRoom();
    service = await startService({
      env: { PATCHBAY_PLUGINS: folder, PATCHBAY_URL_ALLOW: "127.0.0.1", ...secrets },
    });
  });
  afterAll(async () => {
    await service?.stop();
    room?.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const connections = {
    "in the request": { host: "here.test", word: "canary-connection-word" },
    "by reference": { host: "here.test", credential: { name: "loud-source", pin: "canary-pin" } },
    "refused at the login": { host: "refused.test", word: "canary-connection-word" },
    "refused by the source": {
      host: "here.test",
      credential: { name: "loud-source", pin: "canary-pin", fail: true },
    },
  };
  const query = { command: ["show", "crash"], driver_args: { answer: "canary-answer" } };
  const cases = typedKeys(connections).flatMap((connection) =>
    ["query", "configuration"].map((work) => [connection, work] as const),
  );

  test.each(cases)("driver, source and webhook: connection %s, %s", async (connection, work) => {
    const before = room.bodies.length;
    const connection_args = connections[connection];
    const config = ["hostname r1", "word" in connection_args ? `word ${connection_args.word}` : "no word"];
    const job = await service.run({
      driver: "loud-driver",
      connection_args,
      ...(work === "query" ? query : { config }),
      options: { webhook: { name: "loud-hook", room: room.url, pass: "canary-hook-pass" } },
    });
    expect(job.result?.error?.message).toContain("[secret]");
    expect(JSON.stringify(job)).not.toMatch(canary);
    await room.got(before + 1);
    expect(room.bodies.slice(before).join()).not.toMatch(canary);
  });

  test.each(["main throws late", "main rejects late"])(
    "driver: what its manifest does late is logged without its message: %s",
    async (command) => {
      const connection_args = connections["in the request"];
      const before = service.output().split('"service.unhandled"').length;
      const driver_args = { answer: "canary-answer" };
      await service.run({ driver: "loud-driver", connection_args, command, driver_args });
      await vi.waitFor(
        () => expect(service.output().split('"service.unhandled"').length).toBeGreaterThan(before),
        { timeout: 20_000 },
      );
      expect(service.output()).toMatch(/"reason":"Error at .*driver\.ts:\d+/);
      expect(service.output()).not.toMatch(canary);
      expect((await service.call("GET", "/health")).status).toBe(200);
    },
  );

  test("driver: a token that it obtained itself is masked for each job of the kept session", async () => {
    const connection_args = { host: "kept.test", word: "canary-connection-word" };
    for (const uses of [1, 2]) {
      const job = await service.run({ driver: "loud-driver", connection_args, command: "show" });
      expect(job.result?.retval).toMatchObject({ show: { uses } });
      expect(JSON.stringify(job)).not.toMatch(canary);
    }
  });

  const said: Record<string, string> = {
    fine: "rendered with [secret]",
    syntax: "not with [secret]",
    runtime: "not with [secret]",
    crash: "error_id",
  };
  test.each(Object.keys(said))("engine: %s", async (template) => {
    const request = { template, context: { password: "canary-context" }, args: { spice: "canary-spice" } };
    // Twice: the second time, the compiled template is cached.
    for (let times = 0; times < 2; times++) {
      const { body } = await service.call("POST", "/template/render/loud-engine", request);
      expect(JSON.stringify(body)).toContain(said[template]);
      expect(JSON.stringify(body)).not.toMatch(canary);
    }
  });

  test.each([
    ["reject late", "thread.unhandled"],
    ["throw late", "thread.replaced"],
  ])("a driver's error after its job has ended is logged without secrets: %s", async (command, event) => {
    const connection_args = connections["in the request"];
    await service.run({ driver: "loud-driver", connection_args, command });
    await vi.waitFor(() => expect(service.output()).toContain(`"${event}"`), { timeout: 20_000 });
    const line =
      service
        .output()
        .split("\n")
        .find((text) => text.includes(`"${event}"`)) ?? "";
    expect(line).toContain("late with [secret]");
    expect(line).toContain("driver.ts:");
    expect(line).not.toMatch(canary);
  });

  test("keeps secrets out of everything that outlives the requests, and out of lists", async () => {
    for (const path of ["/job", "/plugin", "/worker", "/health", "/metrics"]) {
      const answer = await fetch(service.url + path, { headers: { "X-API-KEY": adminKey } });
      expect(await answer.text(), path).not.toMatch(canary);
    }
    for (const kind of Object.keys(plugins)) expect(service.output()).toContain(kind);
    expect(service.output().match(canary)).toBeNull();
    // The copies of the plugins hold what is written in the plugins.
    const files = filesIn(service.dataDir).filter((path) => !path.includes("/plugins.loaded"));
    expect(files.join()).toContain("-wal");
    for (const file of files) expect(readFileSync(file, "latin1").match(canary), file).toBeNull();
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toMatch(canary);
  });
});

function typedKeys<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}

async function startRoom() {
  const bodies: string[] = [];
  let heard = Promise.withResolvers<void>();
  const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.writeHead(204).end();
    heard.resolve();
    heard = Promise.withResolvers();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const got = async (count: number) => {
    while (bodies.length < count) await heard.promise;
  };
  return { server, bodies, got, url: `http://127.0.0.1:${port}/` };
}
