/** Bundles the console for browsers with Bun's bundler; file names contain a hash. */
import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { plainAnswers, slimSchemas } from "./slim-schemas.ts";
import { shakeable } from "./unused-schemas.ts";
import { wordsInPlace } from "./words-in-place.ts";

/** A file of the console as it is sent. */
export interface ConsoleFile {
  /** `/` for the page itself, else `/console/<name>-<hash>.<ext>`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same, gzip-compressed. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

const sources = fileURLToPath(new URL("../../console", import.meta.url));
const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** What a schema asks of patterns and addresses: the service has checked what it answers, and checks what it is sent. */
const checkedByService: Readonly<Record<string, string>> = {
  "net/host-pattern.ts": "export const patternProblem = () => undefined;",
  "regex/pattern.ts": "export const patternFault = () => undefined;",
  "regex/linear.ts": "export const isLinear = () => true;",
};

/** What a browser reads of schemas. */
export const slim: Bun.BunPlugin = {
  name: "slim schemas",
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/]src[\\/]base[\\/](?:net[\\/]host-pattern|regex[\\/](?:pattern|linear))\.ts$/ },
      ({ path }) => ({
        contents: checkedByService[path.split(/[\\/]/).slice(-2).join("/")] ?? "",
        loader: "ts",
      }),
    );
    onLoad({ filter: /[\\/]src[\\/](?:api|console[\\/]shapes)[\\/].+\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const read = /[\\/]api[\\/]/.test(path) ? source : plainAnswers(source);
      return { contents: shakeable(slimSchemas(read)), loader: "ts" };
    });
  },
};

/** Pages and words of the console, as short as a browser needs them. */
function short(files: ReadonlyMap<string, string>): Bun.BunPlugin {
  // Children as arguments are shorter than as a member of an object.
  const elements = `/** @jsxRuntime classic @jsx __h @jsxFrag __F */import { h as __h, Fragment as __F } from "preact";`;
  return {
    name: "short pages",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/]console[\\/].+\.tsx?$/ }, ({ path }) => {
        const contents = files.get(path);
        if (contents === undefined) throw new Error(`${path} was not read`);
        return path.endsWith(".tsx")
          ? { contents: elements + contents, loader: "tsx" }
          : { contents, loader: "ts" };
      });
    },
  };
}

/** Sources of the console by their paths, with words in place of their names. */
async function consoleSources(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const texts = new Map<string, string>();
  const plain = new Bun.Transpiler({ loader: "ts" });
  for (const name of (await readdir(sources, { recursive: true })).sort()) {
    if (!/\.tsx?$/.test(name)) continue;
    const path = join(sources, name);
    const source = await readFile(path, "utf8");
    if (name.startsWith(`text${sep}`)) texts.set(path, plain.transformSync(source));
    else pages.set(path, source);
  }
  return wordsInPlace(texts, pages);
}

/** @throws AggregateError errors of the bundler */
export async function bundleConsole(): Promise<readonly ConsoleFile[]> {
  const built = await Bun.build({
    entrypoints: [join(sources, "main.tsx")],
    target: "browser",
    format: "esm",
    minify: true,
    // Pages that are fetched when they are opened name their files themselves.
    splitting: true,
    naming: { entry: "app-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "app-[hash].[ext]" },
    // The functions that Bun makes JSX of by default carry what only a debugger reads.
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    plugins: [slim, short(await consoleSources())],
  });
  const { minifySync } = await import("oxc-minify");
  const files: ConsoleFile[] = [];
  for (const output of built.outputs) {
    const extension = extname(output.path);
    const text = await output.text();
    // Names inside of functions, too: the bundler keeps all short ones for what its scripts share.
    const small = extension === ".js" ? minifySync(output.path, text, { module: true }).code : text;
    const bytes = new Uint8Array(Buffer.from(small));
    files.push(fileOf(`/console/${basename(output.path)}`, types[extension] ?? "", bytes));
  }
  return [pageOf(files.filter(({ path }) => path.startsWith("/console/app-"))), ...files];
}

function pageOf(files: readonly ConsoleFile[]): ConsoleFile {
  const heads = files.map(({ path }) =>
    path.endsWith(".css")
      ? `<link rel="stylesheet" href="${path}">`
      : `<script type="module" src="${path}"></script>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Patchbay</title>
${heads.sort().join("\n")}
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript. The HTTP API does not.</noscript>
</body>
</html>
`;
  return fileOf("/", "text/html; charset=utf-8", new Uint8Array(Buffer.from(html)));
}

function fileOf(path: string, type: string, bytes: Uint8Array<ArrayBuffer>): ConsoleFile {
  // Without a timestamp, so that builds are reproducible.
  return { path, type, bytes, packed: Bun.gzipSync(bytes, { library: "libdeflate", level: 12 }) };
}
