/**
 * `bun run check`: types, lint and format, architecture rules, unused code, generated files. Runs them in
 * parallel and prints their times.
 */
import process from "node:process";

const checks: Record<string, string[]> = {
  // Incremental: files unchanged since the last check are not checked again.
  types: [
    "node_modules/.bin/tsc",
    "--noEmit",
    "--incremental",
    "--tsBuildInfoFile",
    "node_modules/.cache/types.tsbuildinfo",
  ],
  console: [
    "node_modules/.bin/tsc",
    "--noEmit",
    "--project",
    "src/console/tsconfig.json",
    "--incremental",
    "--tsBuildInfoFile",
    "node_modules/.cache/console.tsbuildinfo",
  ],
  lint: ["node_modules/.bin/biome", "ci", "--error-on-warnings", "--colors=off"],
  // Verifies that Deno loads the service and every command: nothing that only exists in Bun.
  deno: [
    "node_modules/.bin/deno",
    "eval",
    'await import("./src/service/service.ts"); const { commandLine } = await import("./src/commands/index.ts"); await commandLine({ threadEntry: "", mainPath: "" }); Reflect.get(globalThis, "Deno").exit(0);',
  ],
  layers: [process.execPath, "scripts/layers.ts"],
  house: [process.execPath, "scripts/docs-house.ts", "--check"],
  reference: [process.execPath, "scripts/docs-reference.ts", "--check"],
  unused: [process.execPath, "node_modules/knip/bin/knip-bun.js", "--no-progress", "--cache"],
  plugins: [process.execPath, "scripts/index-plugins.ts", "--check"],
  contract: [process.execPath, "scripts/plugin-types.ts", "--check"],
  migrations: [process.execPath, "scripts/embed-migrations.ts", "--check"],
  recipes: [process.execPath, "scripts/embed-recipes.ts", "--check"],
  transcripts: [process.execPath, "scripts/embed-transcripts.ts", "--check"],
  examples: [process.execPath, "scripts/openapi-examples.ts", "--check"],
  platforms: [process.execPath, "scripts/docs-platforms.ts", "--check"],
  drivers: [process.execPath, "scripts/docs-drivers.ts", "--check"],
  napalm: [process.execPath, "scripts/docs-napalm.ts", "--check"],
};

const begunAt = performance.now();
const results = await Promise.all(
  Object.entries(checks).map(async ([name, command]) => {
    const startedAt = performance.now();
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return {
      name,
      ok: code === 0,
      text: `${out}${err}`.trim(),
      seconds: (performance.now() - startedAt) / 1000,
    };
  }),
);
for (const { name, ok, text, seconds } of results) {
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)`);
  if (!ok)
    console.log(
      text
        .split("\n")
        .map((line) => `     ${line}`)
        .join("\n"),
    );
}
console.log(`${((performance.now() - begunAt) / 1000).toFixed(1)} s in total`);
process.exit(results.every((result) => result.ok) ? 0 : 1);
