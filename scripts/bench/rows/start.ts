/** The row `start`: the built program from start to the first 200, in a new data directory. */
import { rmSync, statSync } from "node:fs";
import process from "node:process";
import { median } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { bareServer, dataFolder, program, type Start, startOnce } from "./shared-start.ts";

export default {
  name: "start",
  title: "from the start of the program to the first 200",
  unit: "ms",
  better: "less",
  goal: 120,
  async measure({ quick }) {
    const path = await program();
    const rounds = quick ? 3 : 9;
    const [fresh, again, bare]: Start[][] = [[], [], []];
    const data = dataFolder();
    try {
      await startOnce([path, "serve"], false, data);
      for (let round = 0; round < rounds; round++) {
        fresh?.push(await startOnce([path, "serve"], false));
        again?.push(await startOnce([path, "serve"], false, data));
        bare?.push(await startOnce(bareServer, false));
      }
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
    const msOf = (starts: readonly Start[] = []) => median(starts.map(({ ms }) => ms));
    const cpuOf = (starts: readonly Start[] = []) => median(starts.map(({ cpuMs }) => cpuMs));
    return {
      value: msOf(fresh),
      floor: { name: "Bun with a server of one line", value: msOf(bare) },
      details: {
        "CPU ms": Math.round(cpuOf(fresh)),
        "again, ms": Math.round(msOf(again)),
        "again, CPU ms": Math.round(cpuOf(again)),
        "size, MB": Math.round(statSync(path).size / 1e5) / 10,
        "size of Bun, MB": Math.round(statSync(process.execPath).size / 1e5) / 10,
      },
    };
  },
} satisfies SpeedRow;
