/**
 * Transformations during the build: native modules, compressed text, the version, and paths of the build
 * machine.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { bundleConsole, type ConsoleFile } from "../../src/runtime/pages/bundle.ts";
import { blankDatabase } from "./blank-database.ts";
import { licences } from "./licences.ts";
import { cached, nativeOf, type Target } from "./targets.ts";

type Loaded = { loader: "js"; contents: string };

/** Every replacement must occur; a missing one means that a dependency has changed. */
const expected = [
  "libsql",
  "prom-client",
  "pino",
  "commander",
  "native-file",
  "blank-database",
  "page-paths",
  "console-files",
  "licences",
  "crypto",
  "constants",
] as const;

export interface Parts {
  readonly plugin: BunPlugin;
  /** @throws Error if an expected replacement did not occur. */
  check(): void;
  /** Their size in the binary. */
  readonly bytes: { native: number; licences: number; pages: number };
}

export async function parts(target: Target, version: string | undefined): Promise<Parts> {
  const done = new Set<string>();
  const native = await packedNative(target);
  const apiPage = await packedPage();
  const page = await bundleConsole();
  const licenceText = packedText(licences(target));
  const blank = packedText(await blankDatabase());
  const swap = (path: string, name: string, changes: [string, string][]): Loaded => {
    let text = readFileSync(path, "utf8");
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
      text = text.replace(from, to);
    }
    done.add(name);
    return { loader: "js", contents: withoutPaths(path, text) ?? text };
  };
  const whole = (name: string, contents: string): Loaded => {
    done.add(name);
    return { loader: "js", contents };
  };
  const load = (path: string): Loaded | undefined => {
    const at = relative(resolve("."), path);
    switch (at) {
      case "node_modules/libsql/index.js":
        // libsql requires its native module by a computed name; src/runtime/native/native.ts loads it instead.
        return swap(path, "libsql", [
          ['const { load, currentTarget } = require("@neon-rs/load");', ""],
          ['const { familySync, GLIBC, MUSL } = require("detect-libc");', ""],
          [
            "function requireNative() {",
            'function requireNative() {\n  return globalThis[Symbol.for("patchbay.libsql")]();',
          ],
        ]);
      // Parts of these that the service does not use load half of Node's modules at start-up.
      case "node_modules/prom-client/index.js":
        return swap(path, "prom-client", [
          ["exports.Pushgateway = require('./lib/pushgateway');", ""],
          ["exports.collectDefaultMetrics = require('./lib/defaultMetrics');", ""],
          ["exports.AggregatorRegistry = require('./lib/cluster');", ""],
        ]);
      case "node_modules/pino/lib/tools.js":
        return swap(path, "pino", [
          ["const transport = require('./transport')", "const transport = undefined"],
          // Only needed for transports.
          ["const { isMainThread } = require('worker_threads')", "const isMainThread = true"],
        ]);
      case "node_modules/commander/lib/command.js":
        return swap(path, "commander", [
          ["const childProcess = require('node:child_process');", "const childProcess = undefined;"],
        ]);
      case "src/runtime/native/native-file.ts":
        return whole("native-file", nativeModule(native));
      case "src/store/libsql/database/file/blank.ts":
        return whole("blank-database", blankModule(blank));
      case "src/runtime/pages/page-paths.ts":
        return whole("page-paths", pageModule(apiPage));
      case "src/runtime/pages/console-files.ts":
        return whole("console-files", consoleModule(page));
      case "src/service/appliance/licence-text.ts":
        return whole("licences", `export { default as licenceText } from "${packedPrefix}licences";`);
      case "src/base/version.ts":
        return version === undefined ? undefined : versioned(path, version);
      // ssh2 tries to load native modules, which Bun cannot.
      case "node_modules/ssh2/lib/protocol/crypto.js":
        return swap(path, "crypto", [
          ["binding = require('./crypto/build/Release/sshcrypto.node');", "throw 0;"],
        ]);
      case "node_modules/ssh2/lib/protocol/constants.js":
        return swap(path, "constants", [["cpuInfo = require('cpu-features')();", ""]]);
    }
    const contents = at.startsWith("node_modules/") ? withoutPaths(path) : undefined;
    return contents === undefined ? undefined : { loader: "js", contents };
  };
  return {
    plugin: {
      name: "parts",
      setup(builder) {
        builder.onLoad({ filter: /\.(c?js|ts)$/ }, ({ path }) => load(path));
        builder.onLoad({ filter: /\.(txt|textfsm|py)$/ }, ({ path }) => ({
          loader: "js",
          contents: textModule(packedText(readFileSync(path))),
        }));
        builder.onResolve({ filter: new RegExp(`^${packedPrefix}`) }, ({ path }) => ({
          path,
          namespace: "packed",
        }));
        builder.onLoad({ filter: /./, namespace: "packed" }, () => ({
          loader: "js",
          contents: textModule(licenceText),
        }));
      },
    },
    check() {
      const missing = expected.filter((name) => !done.has(name));
      // Rather no binary than one that fails on another machine.
      if (missing.length > 0)
        throw new Error(`nothing was replaced in ${missing.join(", ")}: it has changed`);
    },
    bytes: {
      native: native.size,
      licences: licenceText.length,
      pages: Object.values(apiPage).reduce((sum, path) => sum + statSync(path).size, 0),
    },
  };
}

const packedPrefix = "packed:";

interface PackedNative {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

async function packedNative(target: Target): Promise<PackedNative> {
  const bytes = readFileSync(nativeOf(target));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = await cached(`libsql-${sha256.slice(0, 32)}-22.zst`, () =>
    Bun.zstdCompress(bytes, { level: 22 }),
  );
  return { path: resolve(path), sha256, size: Bun.file(path).size };
}

function nativeModule({ path, sha256 }: PackedNative): string {
  return `import path from ${JSON.stringify(path)} with { type: "file" };
export const nativeFile = { path, sha256: "${sha256}" };`;
}

/** Files of the API reference page, compressed as they are sent, by path. */
async function packedPage(): Promise<Record<"script" | "style", string>> {
  const pack = async (file: string) => {
    const bytes = gzipSync(readFileSync(join("node_modules", "swagger-ui-dist", file)), { level: 9 });
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    return resolve(await cached(`${hash}-${file}.gz`, () => bytes));
  };
  return { script: await pack("swagger-ui-bundle.js"), style: await pack("swagger-ui.css") };
}

function pageModule(page: Record<string, string>): string {
  const imports = Object.entries(page).map(
    ([name, path]) => `import ${name} from ${JSON.stringify(path)} with { type: "file" };\n`,
  );
  return `${imports.join("")}export const pagePaths = { packed: true, script, style };`;
}

/** The console's files as a module, compressed. */
function consoleModule(files: readonly ConsoleFile[]): string {
  const texts = files.map(({ path, type, packed }) => ({
    path,
    type,
    packed: Buffer.from(packed).toString("base64"),
  }));
  return `const files = ${JSON.stringify(texts)};
export const consoleFiles = async () =>
  files.map(({ path, type, packed: text }) => {
    const packed = new Uint8Array(Buffer.from(text, "base64"));
    return { path, type, packed, bytes: Bun.gunzipSync(packed) };
  });
`;
}

/** Contains no name or timestamp, so the bytes are the same on every machine. */
function packedText(text: Uint8Array | string): string {
  return gzipSync(text, { level: 9 }).toString("base64");
}

function blankModule(packed: string): string {
  return `export const blankDatabase = () => Bun.gunzipSync(Buffer.from("${packed}", "base64"));`;
}

function textModule(packed: string): string {
  return `export default new TextDecoder().decode(Bun.gunzipSync(Buffer.from("${packed}", "base64")));`;
}

function versioned(path: string, version: string): Loaded {
  const text = readFileSync(path, "utf8");
  const from = "export const version: string = manifest.version;";
  if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
  const contents = text
    .replace(/^import manifest .*$/m, "")
    .replace(from, `export const version = ${JSON.stringify(version)};`);
  return { loader: "js", contents };
}

/** The bundler replaces `__dirname` with the build folder, which would make the binary depend on it. */
function withoutPaths(path: string, source?: string): string | undefined {
  const text = source ?? readFileSync(path, "utf8");
  if (!/\b__(dirname|filename)\b/.test(text)) return undefined;
  const at = `/${relative(resolve("."), path)}`;
  return text
    .replaceAll(/\b__dirname\b/g, JSON.stringify(at.slice(0, at.lastIndexOf("/"))))
    .replaceAll(/\b__filename\b/g, JSON.stringify(at));
}
