/** Modules evaluated before the service is ready: none that are only needed for requests which may never come. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { byName } from "../../scripts/house/source.ts";

/** Loaded on demand by the code that needs them; modules of Node by `src/base/lazy-modules.ts`. */
const notAtStart =
  /^(node:(child_process|http|https|net|readline|stream|tls|tty|worker_threads|zlib)$|@libsql\/|@noble\/|age-encryption|basic-ftp|eta|jsonata|preact|selfsigned|ssh2|swagger-ui-dist|yaml)/;

interface Start {
  readonly files: ReadonlySet<string>;
  /** Packages and runtime modules, with the importing file. */
  readonly packages: ReadonlyMap<string, string>;
}

/** Follows imports that are evaluated with their file, not type imports and `import()`. */
function evaluated(doors: readonly string[]): Start {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const open = [...doors];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file) || !existsSync(file)) continue;
    files.add(file);
    if (!/\.tsx?$/.test(file)) continue;
    const scanned = new Bun.Transpiler({ loader: "ts" }).scanImports(readFileSync(file, "utf8"));
    for (const { path, kind } of scanned) {
      if (kind === "dynamic-import") continue;
      const own = path.startsWith(".") ? relative(".", join(dirname(file), path)) : byName[path];
      if (own !== undefined) open.push(own);
      else packages.set(path, file);
    }
  }
  return { files, packages };
}

const service = evaluated([
  "src/main.ts",
  "src/runtime/plugin-module.ts",
  "src/commands/index.ts",
  "src/commands/serve.ts",
  "src/service/service.ts",
  "src/store/libsql/database/file/lock.ts",
  "src/store/libsql/database/file/file.ts",
]);

test("starting the service loads no library that only some requests need", () => {
  expect(service.packages.size).toBeGreaterThan(5);
  expect([...service.packages].filter(([name]) => notAtStart.test(name))).toEqual([]);
});

test("starting the service loads no other command, driver, engine or simulator", () => {
  const foreign = [...service.files].filter(
    (file) =>
      /^src\/(client|device|executor|testkit|console)\//.test(file) ||
      /^src\/(commands\/(?!index|serve|options|output)|service\/doctor|http\/openapi)/.test(file) ||
      /^plugins\/.*\/(driver|engine|session)\.ts$/.test(file),
  );
  expect(foreign).toEqual([]);
});

test("starting the service loads fewer than 900 files", () => {
  expect(service.files.size).toBeLessThan(900);
});
