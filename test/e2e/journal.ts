/** A driver that appends what its devices are sent to one file, whichever process of a service runs it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Journal {
  /** A line for each that was sent: the host, and what it was. */
  written(): string;
  linesOf(host: string): string[];
}

/** Bodies of functions in the driver, where `host`, `write(line)` and `pause(ms)` are at hand. */
interface Device {
  /** Of `command`. Default: answers, and writes nothing. */
  readonly query?: string;
  /** Of `lines` and `args`. Default: writes the lines. */
  readonly configure?: string;
  /** The schema of `args`. */
  readonly args?: string;
}

/** @param folder of plugins: the driver `journal` is written there */
export function journalDriver(folder: string, device: Device = {}): Journal {
  const {
    query = 'return "answer to " + command;',
    configure = 'for (const line of lines) write(line); return "done";',
    args = "v.object({})",
  } = device;
  const journal = join(folder, "journal");
  const driver = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { defineDriver, v } from "patchbay/plugin";
const journal = ${JSON.stringify(journal)};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
export default defineDriver({
  name: "journal", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string() }), query: v.object({}), configure: ${args},
  repeatable: (operation) => operation === "query",
  async open({ connection: { host } }) {
    const write = (line) => appendFileSync(journal, host + " " + line + "\\n");
    return {
      async query(command) { ${query} },
      async configure(lines, args) { ${configure} },
    };
  },
});`;
  writeFileSync(join(folder, "journal.mjs"), driver);
  const written = () => (existsSync(journal) ? readFileSync(journal, "utf8") : "");
  return {
    written,
    linesOf: (host) =>
      written()
        .split("\n")
        .filter((line) => line.startsWith(`${host} `))
        .map((line) => line.slice(host.length + 1)),
  };
}
