/**
 * Driver plugins controlled by their commands: of `noop`, `bytes <n>` returns n bytes of text and `wait <ms>` takes
 * that long; those of `meddler` change the objects of the language.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const noop = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "abuse", validate: (value) => ({ value }) } };
const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});
const session = {
  async query(command, args, ctx) {
    const [word, count] = command.split(" ");
    if (word === "wait") await pause(Number(count), ctx.signal);
    return word === "bytes" ? "x".repeat(Number(count)) : "ok";
  },
  configure: async () => "ok",
  reusable: async () => true,
};
export default defineDriver({
  name: "noop", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => session,
});
`;

/** Changes that the thread must not keep; strict code throws on what is frozen. */
export const changes = ["object", "map", "json", "array", "promise", "regexp", "string"] as const;

const meddler = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "abuse", validate: (value) => ({ value }) } };
const changes = {
  object: () => { Object.prototype.abused = "yes"; },
  map: () => { Map.prototype.get = () => undefined; },
  json: () => { JSON.stringify = () => '"wrong"'; JSON.parse = () => ({}); },
  array: () => { Array.prototype.map = () => []; Array.prototype.push = () => 0; },
  promise: () => { Promise.prototype.then = () => {}; },
  regexp: () => { RegExp.prototype.exec = () => null; },
  string: () => { String.prototype.split = () => []; },
};
const session = {
  async query(command) {
    try { changes[command]?.(); } catch {}
    return "ok";
  },
  configure: async () => "ok",
  reusable: async () => true,
};
export default defineDriver({
  name: "meddler", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => session,
});
`;

export function writeDrivers(dataDir: string): void {
  const folder = join(dataDir, "plugins");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, source] of Object.entries({ noop, meddler }))
    writeFileSync(join(folder, `${name}.ts`), source, { mode: 0o600 });
}
