/** How the tests run: on Bun, each file in a process of its own, since many start servers and threads. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Plugins that tests write into folders of their own are loaded by vitest, which asks no plugin of Bun.
  resolve: {
    alias: {
      "patchbay/plugin": resolve("src/plugin/index.ts"),
      "patchbay/testkit": resolve("src/testkit/index.ts"),
    },
  },
  // Bun gives a text file as its text by itself.
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
    pool: "forks",
    // Three at once on the two cores of CI: for half of its time a file waits, for devices and for what it started.
    maxWorkers: 3,
    globalSetup: ["test/support/run-folder.ts", "test/e2e/binary-folder.ts"],
    // They end what hangs, and are far behind what a test takes while others keep the machine busy.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
