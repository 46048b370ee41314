/** Holds the rules of the house: which folder may import which, one owner a library, who may use timers and the environment. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import process from "node:process";

/** Folder (or file) of src -> what it may import; type imports count, too. */
const allowed: Record<string, readonly string[]> = {
  base: [],
  plugin: ["base"],
  model: ["base"],
  config: ["base"],
  auth: ["base"],
  protocol: ["model", "plugin", "base"],
  registry: ["plugin", "base"],
  runtime: ["base", "protocol", "plugin"],
  ssh: ["base", "runtime/ssh2-compat.ts"],
  telnet: ["base"],
  cli: ["plugin", "base"],
  netconf: ["base"],
  executor: ["auth", "protocol", "registry", "plugin", "cli", "ssh", "telnet", "netconf", "model", "base"],
  pool: ["protocol", "base", "runtime"],
  store: ["model", "base", "migrations"],
  queue: ["store", "pool", "model", "plugin", "base"],
  jobs: ["queue", "store", "registry", "pool", "protocol", "plugin", "model", "base", "auth"],
  scheduler: ["queue", "store", "registry", "pool", "protocol", "plugin", "model", "base"],
  http: ["jobs", "queue", "auth", "model", "base"],
  simulator: ["plugin", "cli/platform.ts", "base", "ssh/ssh2.ts"],
  testkit: ["simulator", "plugin", "cli/platform.ts", "model", "base"],
  service: [
    "auth",
    "base",
    "config",
    "http",
    "jobs",
    "model",
    "plugin",
    "plugins",
    "pool",
    "protocol",
    "queue",
    "registry",
    "runtime",
    "scheduler",
    "store",
    "migrations",
  ],
  commands: [
    "cli/platform.ts",
    "service",
    "auth",
    "base",
    "config",
    "model",
    "plugin",
    "plugins",
    "registry",
    "runtime",
    "simulator",
    "store",
    "migrations",
  ],
  main: ["commands", "config", "base", "protocol", "thread", "runtime"],
  thread: ["executor", "registry", "plugins", "protocol", "runtime"],
  // Their own family only: the contract is imported as a stranger does, by the name patchbay/plugin.
  plugins: [],
  migrations: [],
};

const owners: Record<string, readonly string[]> = {
  hono: ["http"],
  "drizzle-orm": ["store"],
  "@libsql/client": ["store"],
  libsql: ["store/libsql/file.ts"],
  ssh2: ["ssh/ssh2.ts"],
  croner: ["scheduler"],
  eta: ["plugins/templates/eta"],
  "basic-ftp": ["executor"],
  commander: ["main.ts", "commands"],
  pino: ["base/log.ts"],
  valibot: [
    "model",
    "plugin",
    "registry",
    "config",
    "http",
    "jobs",
    "queue",
    "store",
    "cli",
    "plugins",
    "commands",
  ],
};

/** Words that only some places may say. */
const words: { pattern: RegExp; what: string; in: readonly string[] }[] = [
  { pattern: /\b(Bun|Deno)\./, what: "the runtime's own names", in: ["runtime"] },
  { pattern: /\bnew Worker\(/, what: "new Worker", in: ["pool/device-thread.ts"] },
  { pattern: /\bprocess\.env\b/, what: "the environment", in: ["config/config.ts", "testkit/service.ts"] },
  { pattern: /\beval\(|\bnew Function\(/, what: "code made from text", in: [] },
];

/** The core knows no plugin by name: these may speak of them. */
const mayName = ["simulator", "commands/demo.ts"];
const pluginNames = ["drivers", "templates", "webhooks"]
  .flatMap((kind) =>
    readdirSync(`plugins/${kind}`, { withFileTypes: true }).map((entry) => join(kind, entry.name)),
  )
  .filter((folder) => existsSync(`plugins/${folder}/plugin.ts`))
  .map((folder) => basename(folder));
const namesPlugin = new RegExp(`["'\x60](${pluginNames.join("|")})["'\x60]`);

const problems: string[] = [];
for (const root of ["src", "plugins", "migrations"]) {
  for (const file of sources(root)) check(file);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** `src/cli/prompt.ts` -> `cli/prompt.ts`; `plugins/x.ts` -> `plugins/x.ts`. */
function place(file: string): string {
  return file.startsWith("src/") ? file.slice(4) : file;
}

function room(at: string): string {
  const first = at.split("/")[0] ?? at;
  return first.endsWith(".ts") ? first.replace(/(-\w+)?\.ts$/, "") : first;
}

/** `plugins/drivers/netmiko/args.ts` -> `drivers`; the list of built-ins is no family and takes from all. */
function family(at: string): string | undefined {
  const [first, second] = at.split("/");
  return first === "plugins" && second !== "index.ts" ? second : undefined;
}

function check(file: string): void {
  const text = readFileSync(file, "utf8");
  const here = place(file);
  const own = room(here);
  const rules = allowed[own];
  if (!rules)
    return void problems.push(
      `${file}: the folder ${own} is not in the plan of the house (scripts/layers.ts)`,
    );
  for (const specifier of imports(text)) {
    if (specifier.startsWith(".")) {
      const target = place(relative(".", join(dirname(file), specifier)));
      if (
        target === "../package.json" ||
        target === "package.json" ||
        (room(target) === own && (family(here) === undefined || family(target) === family(here))) ||
        rules.some((rule) => target === rule || room(target) === rule)
      )
        continue;
      problems.push(`${file}: ${own} must not import ${target}`);
    } else {
      const library = specifier.startsWith("@")
        ? specifier.split("/").slice(0, 2).join("/")
        : (specifier.split("/")[0] ?? "");
      const places = owners[library];
      if (
        places &&
        !places.some((owner) => here === owner || here.startsWith(`${owner}/`) || own === owner)
      ) {
        problems.push(`${file}: only ${places.join(", ")} may import ${library}`);
      }
    }
  }
  const code = text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");
  const named = own === "plugins" ? null : namesPlugin.exec(code);
  if (named && !mayName.some((part) => here.startsWith(part)))
    problems.push(`${file}: the core knows no plugin by name, and this one names ${named[1]}`);
  for (const { pattern, what, in: places } of words) {
    if (pattern.test(code) && !places.some((owner) => here === owner || here.startsWith(`${owner}/`))) {
      problems.push(`${file}: only ${places.join(", ") || "nobody"} may use ${what}`);
    }
  }
}

function imports(text: string): string[] {
  const found = text.matchAll(
    /(?:^|[\s;}])(?:import|export)\s[^"'`;]*?from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}
