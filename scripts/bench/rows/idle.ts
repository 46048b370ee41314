/** The row `idle`: memory of the built program and its processes when nobody has asked it for anything. */
import { median } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { bareServer, program, type Start, startOnce } from "./shared-start.ts";

export default {
  name: "idle",
  title: "memory of the program and its processes, idle",
  unit: "MB",
  better: "less",
  goal: 80,
  async measure({ quick }) {
    const path = await program();
    const own: Start[] = [];
    const bare: Start[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      own.push(await startOnce([path, "serve"], true));
      bare.push(await startOnce(bareServer, true));
    }
    const middle = (starts: readonly Start[], of: "resident" | "anonymous" | "children") =>
      median(starts.map(({ idle }) => idle?.[of] ?? 0));
    return {
      value: middle(own, "resident") + middle(own, "children"),
      floor: { name: "Bun with a server of one line", value: middle(bare, "resident") },
      details: {
        "of it without a file behind it": Math.round(middle(own, "anonymous")),
        "of it in other processes": Math.round(middle(own, "children")),
      },
    };
  },
} satisfies SpeedRow;
