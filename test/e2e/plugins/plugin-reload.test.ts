/** SIGHUP loads new and changed plugins, from source or with the binary; running jobs are not affected. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { binary } from "../binary.ts";
import { programs } from "../programs.ts";

/** Reports its version; the change is in a file that the plugin imports. `wait` blocks until released. */
const driver = (release: string) => `
import { existsSync } from "node:fs";
import { defineDriver } from "patchbay/plugin";
import { version } from "./version.ts";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "acme", version: String(version), connection: any, query: any, strategy: "pinned",
  target: ({ host }) => ({ host, port: 443 }),
  open: async () => ({
    reusable: async () => true,
    async query(command, args, ctx) {
      while (command === "wait" && !existsSync(${JSON.stringify(release)}) && !ctx.signal.aborted)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return version;
    },
  }),
});
`;
const engine = (word: string) => `
import { defineTemplateEngine } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineTemplateEngine({ name: "word", does: "render", args: any, compile: () => ({ run: () => "${word}" }) });
`;

describe.each(programs)("from %s", (how) => {
  test("picks up new, changed, broken and removed plugins", async () => {
    const folder = tempFolder();
    const release = join(tempFolder(), "release");
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, "acme"));
    write("acme/plugin.ts", driver(release));
    write("acme/version.ts", "export const version = 1;");
    write("gone.ts", engine("gone").replace('"word"', '"gone"'));
    const program = how === "binary" ? { binary: await binary() } : { runtime: "bun" as const };
    const service = await startService({ ...program, env: { PATCHBAY_PLUGINS: folder } });
    const request = (command: string, host = "r1") => ({
      driver: "acme",
      connection_args: { host },
      command,
    });
    const render = () => service.call("POST", "/template/render/word", { template: "x", context: {} });

    expect((await service.run(request("show"))).result?.retval).toEqual({ show: 1 });
    expect((await render()).status).toBe(404);
    const running = await service.call<{ id: string }>("POST", "/device/execute", request("wait", "r2"));
    while ((await service.job(running.body.data.id)).status !== "running") await moment();

    write("acme/version.ts", "export const version = 2;");
    write("word.ts", engine("first"));
    rmSync(join(folder, "gone.ts"));
    await reload(service, 1);
    // The kept session of the previous version is no longer used.
    expect((await service.run(request("show"))).result?.retval).toEqual({ show: 2 });
    expect((await render()).body.data).toBe("first");
    expect((await service.call("POST", "/template/render/gone", { template: "x", context: {} })).status).toBe(
      404,
    );
    writeFileSync(release, "");
    expect(await service.ended(running.body.data.id)).toMatchObject({
      status: "finished",
      result: { retval: { wait: 1 } },
    });

    write("word.ts", engine("second"));
    write("acme/plugin.ts", "export default {\n  name: ;\n};");
    await reload(service, 2);
    expect((await render()).body.data).toBe("second");
    const { body } = await service.call<{ name: string; refused: string | null }[]>("GET", "/plugin");
    expect(body.data.find(({ name, refused }) => name === "acme" && refused !== null)?.refused).toMatch(
      /plugin\.ts:2: /,
    );
    // The former version stays in use.
    expect((await service.run(request("show"))).result?.retval).toEqual({ show: 2 });
    expect(await service.stop()).toBe(0);
  });
});

const moment = () => new Promise((resolve) => setTimeout(resolve, 20));

async function reload(service: Service, times: number): Promise<void> {
  service.child.kill("SIGHUP");
  while (service.output().split("plugins.reloaded").length <= times) await moment();
}
