/** Test configuration: on Bun, each file in its own process, because many start servers and threads. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { corpusTests, hasShared } from "../scripts/testbed/shared.ts";

export default defineConfig({
  // Plugins that tests write to temporary folders are loaded by vitest, which does not run Bun's plugins.
  resolve: {
    alias: {
      "patchbay/plugin": resolve("src/plugin/index.ts"),
      "patchbay/testkit": resolve("src/testkit/index.ts"),
    },
  },
  // Bun imports a text file as a string by itself.
  plugins: [
    {
      name: "text-files",
      enforce: "pre",
      load: (id) =>
        /\.(textfsm|txt|py)$/.test(id)
          ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}`
          : undefined,
    },
  ],
  test: {
    root: ".",
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(hasShared ? [] : [corpusTests])],
    pool: "forks",
    // Three on CI's two cores: half of the time a file waits for devices and child processes.
    maxWorkers: 3,
    globalSetup: ["test/support/run-folder.ts", "test/e2e/binary-folder.ts"],
    // For hangs only: far longer than a test takes on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
