/** How the tests run: on Bun, each file in a process of its own, since many start servers and threads. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: ".",
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // Two at once: the machines of CI have two cores, and end-to-end tests start whole services.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
