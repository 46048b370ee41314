/** Test configuration: on Bun, in processes, because many files start servers and threads. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { defineConfig } from "vitest/config";
import { alone, mocking, sharing, waiting } from "./support/kinds.ts";
import { LongestFirst } from "./support/order.ts";
import { timesVariable } from "./support/times.ts";

const cores = availableParallelism();
/** More than half of the time, files wait: for simulated devices, timers, servers and other processes. */
const maxWorkers = 3 * cores;

/** Of both kinds of files. */
const common = {
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
      enforce: "pre" as const,
      load: (id: string) =>
        /\.(textfsm|txt|py)$/.test(id)
          ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}`
          : undefined,
    },
  ],
};
const setupFiles = process.env[timesVariable] === undefined ? [] : ["test/support/times-setup.ts"];
/** The times are for hangs only: far longer than a test takes on a busy machine. */
const patience = (interval: number) => ({
  ...{ setupFiles, testTimeout: 180_000, hookTimeout: 240_000 },
  expect: { poll: { timeout: 60_000, interval } },
});
/** A look at what is in the same process costs nothing; one at a service or a browser takes milliseconds of both. */
const computes = patience(20);
const waits = patience(60);
/**
 * Bun loads the source itself, once for all files that share a process: Vitest would translate it and load it anew
 * for each file, which takes more CPU time than most files.
 */
const native = {
  server: {
    deps: {
      external: [
        new RegExp(`^${RegExp.escape(resolve("."))}/(?:src/|migrations/|scripts/|plugins/(?!.*/test/))`),
      ],
    },
  },
};

export default defineConfig({
  ...common,
  test: {
    root: ".",
    pool: "forks",
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/run-folder.ts", "test/e2e/binary-folder.ts"],
    teardownTimeout: 20_000,
    projects: [
      {
        ...common,
        test: {
          ...computes,
          ...native,
          name: "sharing",
          root: ".",
          isolate: false,
          include: sharing,
        },
      },
      {
        ...common,
        test: {
          ...waits,
          ...native,
          name: "waiting",
          root: ".",
          isolate: false,
          include: waiting,
        },
      },
      {
        ...common,
        test: {
          ...waits,
          ...native,
          name: "alone",
          root: ".",
          include: alone,
        },
      },
      {
        ...common,
        test: {
          ...waits,
          name: "mocking",
          root: ".",
          include: mocking,
        },
      },
    ],
  },
});
