/** A driver plugin that does what its commands say: `bytes <n>` gives a text of so many, `wait <ms>` takes its time. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const source = `const any = { "~standard": { version: 1, vendor: "abuse", validate: (value) => ({ value }) } };
const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
const session = {
  async query(commands, args, ctx) {
    const outputs = [];
    for (const command of commands) {
      const [word, count] = command.split(" ");
      if (word === "wait") await pause(Number(count), ctx.signal);
      outputs.push({ command, output: word === "bytes" ? "x".repeat(Number(count)) : "ok" });
    }
    return outputs;
  },
  async configure(lines) { return [{ command: lines.join("\\n"), output: "ok" }]; },
  async describe() { return {}; },
  async reusable() { return true; },
  async close() {},
};
export default {
  api: 1, kind: "driver", name: "noop", connection: any, args: { query: any, configure: any },
  strategy: "fifo", knows: { connection: ["host", "username"], args: { query: [], configure: [] } },
  defaultTimeout: 5, defaultPort: 22,
  load: async () => ({ default: () => ({ open: async () => session }) }),
};
`;

export function writeDriver(dataDir: string): void {
  const folder = join(dataDir, "plugins");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "noop.ts"), source, { mode: 0o600 });
}
