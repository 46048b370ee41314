/**
 * `patchbay plugin`, from source and with the binary: what `new` writes loads, type-checks and passes all
 * checks; from source in a plain run some kinds.
 */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { programOf, startService, tempFolder } from "../../src/testkit/service.ts";
import { binary } from "../e2e/binary.ts";
import { simulated } from "../e2e/devices.ts";
import { programs } from "../e2e/programs.ts";
import { sampled } from "../support/sampled.ts";

const [program, ...begin] = programOf();

const run = promisify(execFile);
const kinds = ["driver", "cli-driver", "platform", "template", "webhook", "credential", "inventory"];

const pluginKind = (kind: string) => (kind === "cli-driver" ? "driver" : kind);

describe.each(programs)("patchbay plugin, from %s,", (how) => {
  /** From source each takes several times as long. */
  const made = how === "binary" ? kinds : sampled(kinds, 2, () => "a kind");

  async function patchbay(folder: string, ...args: string[]) {
    const [program = "", ...first] =
      how === "binary" ? [await binary()] : [process.execPath, resolve("src/main.ts")];
    const env = { PATH: process.env.PATH, PATCHBAY_PLUGINS: folder };
    return run(program, [...first, "plugin", ...args], { cwd: folder, env }).catch((error) => error);
  }

  test("creates each kind with new, accepts it with check, lists it, and overwrites nothing", async () => {
    const folder = tempFolder();
    for (const kind of made) {
      await patchbay(folder, "new", kind, `my-${kind}`);
      expect((await patchbay(folder, "check", `my-${kind}`)).stdout).toBe(
        `ok ${pluginKind(kind)} my-${kind}\n`,
      );
    }
    const { stdout } = await patchbay(folder, "list");
    for (const kind of made)
      expect(stdout).toMatch(new RegExp(`${pluginKind(kind)} +my-${kind} +my-${kind}`));
    expect((await patchbay(folder, "new", "driver", `my-${made[0]}`)).stderr).toContain("is there already");
    expect((await patchbay(folder, "new", "teapot", "x")).stderr).toContain(
      "one of driver, cli-driver, platform",
    );
  });

  test("reports refused plugins, and those that would fail at their first job", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "broken.ts"), "export default {\n  name: ;\n};");
    writeFileSync(
      join(folder, "late.ts"),
      `import { defineTemplateEngine, v } from "patchbay/plugin";
       export default defineTemplateEngine({ name: "late", does: "render", args: v.object({}), load: async () => ({ default: 7 }) });`,
    );
    const { code, stderr } = await patchbay(folder, "check", folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.ts: .*broken\.ts:2: /);
    expect(stderr).toContain(
      "template late: the module returned by `load` has no function as its default export",
    );
  });
});

test("a new driver of a command line queries and configures a device", async () => {
  const folder = tempFolder();
  await run(program, [...begin, "plugin", "new", "cli-driver", "mine", "--folder", folder]);
  await using ends = new AsyncDisposableStack();
  const service = await startService({ plugins: [folder] });
  ends.defer(() => service.close());
  const device = await simulated("cisco_ios");
  ends.defer(() => device.stop());
  const { device_type: _type, ...connection_args } = device.connection;
  const send = (more: object) => service.run({ driver: "mine", connection_args, ...more });
  expect(await send({ command: "show clock" })).toMatchObject({ status: "finished" });
  const config = ["interface Loopback7", "description mine"];
  expect(await send({ config, driver_args: { save: true } })).toMatchObject({ status: "finished" });
  expect(device.commands()).toEqual(expect.arrayContaining([...config, "write memory"]));
  expect((await send({ config: ["bogus line"] })).result?.error).toMatchObject({ type: "CommandError" });
});

test("new plugins and examples pass the types that the program prints", async () => {
  const folder = tempFolder();
  const call = (...args: string[]) => run(program, [...begin, "plugin", ...args]);
  for (const kind of kinds) await call("new", kind, `my-${kind}`, "--folder", folder);
  await run("cp", ["-r", "examples", folder]);
  writeFileSync(join(folder, "examples/patchbay.d.ts"), (await call("types")).stdout);
  mkdirSync(join(folder, "node_modules"));
  // The server of the example for gRPC is a library's.
  for (const name of ["valibot", "bun-types", "@grpc"])
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
  const compilerOptions = {
    target: "ESNext",
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    types: ["bun-types"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const include = ["examples", ...kinds.map((kind) => `my-${kind}/plugin.ts`)];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  const faults = async (below: string) =>
    (await run("node_modules/.bin/tsc", ["-p", join(folder, below)]).catch((error) => error)).stdout;
  expect(await faults(".")).toBe("");
  // Types that were not found at all would also report nothing about `v`.
  writeFileSync(
    join(folder, "my-driver/wrong.ts"),
    'import { defineDriver, v } from "patchbay/plugin";\nexport const numbers: number[] = [defineDriver, v.object({})];\n',
  );
  expect(await faults("my-driver")).toMatch(
    /^\S*wrong\.ts\(2,\d+\): error TS2322: .*\n.*wrong\.ts\(2,\d+\): error TS2322/,
  );
});

test("the npm package of the plugin API works and exports the host's values", async () => {
  const folder = tempFolder();
  const packed = join(folder, "node_modules/patchbay");
  await run(process.execPath, [
    "-e",
    `const { buildPluginPackage } = await import(${JSON.stringify(resolve("scripts/plugin-package.ts"))});
     await buildPluginPackage(${JSON.stringify(packed)});`,
  ]);
  for (const name of ["valibot", "bun-types", "ssh2", "asn1", "bcrypt-pbkdf", "safer-buffer", "tweetnacl"])
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
  const text = `import { definePlatform, secret, v } from "patchbay/plugin";
    import { simulate, startService } from "patchbay/testkit";
    const token = v.parse(secret(v.string()), "canary");
    const plugin = definePlatform({ name: "a", home: "x", levels: { x: { prompt: />/ } }, errors: [] });
    export default plugin;
    await (await simulate(plugin)).stop();
    console.log(String(token), token.reveal(), typeof startService);`;
  writeFileSync(join(folder, "plugin.ts"), text);
  expect((await run(process.execPath, [join(folder, "plugin.ts")])).stdout).toBe(
    "[secret] canary function\n",
  );
  // Authors test with Node, too.
  writeFileSync(join(folder, "plugin.mjs"), text);
  expect((await run("node", [join(folder, "plugin.mjs")])).stdout).toBe("[secret] canary function\n");
  const compilerOptions = {
    target: "ESNext",
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    types: ["bun-types"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["plugin.ts"] }));
  const done = await run("node_modules/.bin/tsc", ["-p", folder]).catch((error) => error);
  expect(done.stdout).toBe("");
});
