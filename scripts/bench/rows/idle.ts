/** The row `idle`: memory of the built program and its processes before any request. */
import { median } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { bareServer, type Part, program, type Start, startOnce } from "./shared-start.ts";

const parts: readonly Part[] = ["program", "code of ours", "libSQL", "other libraries", "heaps and stacks"];

/** Parts of the resident memory in MB. */
function partsOf(starts: readonly Start[]): Record<string, number> {
  const middle = (part: Part) => median(starts.map(({ idle }) => idle?.parts[part] ?? 0));
  return Object.fromEntries(parts.map((part) => [part, Math.round(middle(part))]));
}

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
    type Sum = "resident" | "share" | "dirty" | "anonymous" | "children";
    const middle = (starts: readonly Start[], of: Sum) => median(starts.map(({ idle }) => idle?.[of] ?? 0));
    return {
      value: middle(own, "resident") + middle(own, "children"),
      floor: { name: "Bun with a server of one line", value: middle(bare, "resident") },
      details: {
        "by share of common pages": Math.round(middle(own, "share")),
        "of it dirty": Math.round(middle(own, "dirty")),
        ...partsOf(own),
        "of it without a file behind it": Math.round(middle(own, "anonymous")),
        "of it in other processes": Math.round(middle(own, "children")),
      },
    };
  },
} satisfies SpeedRow;
