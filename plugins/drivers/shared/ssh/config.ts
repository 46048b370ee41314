/** Parses OpenSSH's ssh_config and looks up the settings of a host. The first value of each keyword wins. */
import { fitsPatterns, PluginError } from "patchbay/plugin";

export interface SshConfig {
  readonly blocks: readonly Block[];
}

interface Block {
  /** Absent for the lines before the first `Host`. */
  readonly condition?: {
    readonly word: "host" | "match";
    readonly values: readonly string[];
    readonly line: Line;
  };
  readonly settings: readonly Setting[];
}

interface Setting {
  readonly word: string;
  readonly values: readonly string[];
  readonly line: Line;
  /** Included files. */
  readonly files?: readonly SshConfig[];
}

interface Line {
  readonly file: string;
  readonly number: number;
}

/** Settings of one host. */
export interface HostFacts {
  readonly hostName: string;
  readonly port: number | undefined;
  readonly user: string | undefined;
  /** As written, with tokens expanded. */
  readonly identityFiles: readonly string[];
  /** Absent: no jump host. */
  readonly proxyJump: string | undefined;
}

/** @throws PluginError DriverError that names file and line */
export function fault({ file, number }: Line, text: string): PluginError {
  return new PluginError("DriverError", `${file}, line ${number}: ${text}`, { outcome: "none" });
}

const keywords: ReadonlySet<string> = new Set([
  ...["host", "match", "include", "hostname", "port", "user", "identityfile", "proxyjump", "proxycommand"],
]);

/** @param include reads the files of an `Include` */
export async function parseSshConfig(
  file: string,
  text: string,
  include: (pattern: string, line: Line) => Promise<readonly SshConfig[]>,
): Promise<SshConfig> {
  const blocks: { condition?: NonNullable<Block["condition"]>; settings: Setting[] }[] = [{ settings: [] }];
  for (const [at, content] of text.split("\n").entries()) {
    const line = { file, number: at + 1 };
    const [first = "", ...values] = wordsOf(content, line);
    const word = first.toLowerCase();
    if (word === "") continue;
    // The file could be any file of the key folder, so an unknown keyword is not quoted.
    if (values.length === 0) throw fault(line, `${keywords.has(word) ? first : "a word"} has no value`);
    if (word === "host" || word === "match") {
      blocks.push({ condition: { word, values, line }, settings: [] });
      continue;
    }
    const files: SshConfig[] = [];
    if (word === "include") for (const pattern of values) files.push(...(await include(pattern, line)));
    blocks.at(-1)?.settings.push({ word, values, line, ...(word === "include" ? { files } : {}) });
  }
  return { blocks };
}

/** `Word value "value with blanks"` or `Word=value`; a comment has its own line or follows a blank. */
function wordsOf(content: string, line: Line): string[] {
  const text = content.trim();
  if (text === "" || text.startsWith("#")) return [];
  const [, word = "", rest = ""] = /^([A-Za-z]+)(?:\s*=\s*|\s+|$)(.*)$/.exec(text) ?? [];
  if (word === "") throw fault(line, "is not a valid ssh_config line");
  const values: string[] = [];
  for (const [, quoted, plain, broken] of rest.matchAll(/"([^"]*)"|([^\s"#][^\s"]*)|(["#])/g)) {
    if (broken === "#") break;
    if (broken !== undefined) throw fault(line, "a quotation mark is missing");
    values.push(quoted ?? plain ?? "");
  }
  return [word, ...values];
}

/** @param overrides values from the request: they take precedence, and `Match user` sees them */
export function lookUp(
  config: SshConfig,
  host: string,
  overrides: { readonly username?: string | undefined; readonly port?: number | undefined } = {},
): HostFacts {
  const effective = new Map<string, Setting>();
  const identityFiles: Setting[] = [];
  const apply = ({ blocks }: SshConfig): void => {
    for (const { condition, settings } of blocks) {
      if (condition !== undefined && !fits(condition)) continue;
      for (const setting of settings) {
        if (setting.files !== undefined) for (const file of setting.files) apply(file);
        else if (setting.word === "identityfile") identityFiles.push(setting);
        else if (!effective.has(keyOf(setting.word))) effective.set(keyOf(setting.word), setting);
      }
    }
  };
  const value = (word: string) => effective.get(word)?.values[0];
  const user = () => overrides.username ?? value("user");
  const hostName = () =>
    (value("hostname") ?? host).replace(/%([%hn])/g, (_, token) => (token === "%" ? "%" : host));
  const fits = ({ word, values, line }: NonNullable<Block["condition"]>): boolean =>
    word === "host"
      ? fitsPatterns(host, values)
      : fitsMatch(values, line, { host: hostName(), originalhost: host, user: user() ?? "" });
  apply(config);

  const jump = effective.get("proxyjump");
  if (jump?.word === "proxycommand" && jump.values[0]?.toLowerCase() !== "none")
    throw fault(jump.line, "ProxyCommand is not supported: use ProxyJump");
  const port = overrides.port ?? portOf(effective.get("port"));
  const tokens = { h: hostName(), n: host, p: String(port ?? 22), r: user() ?? "", "%": "%" };
  return {
    hostName: hostName(),
    port,
    user: user(),
    identityFiles: pathsOf(identityFiles, tokens),
    proxyJump:
      jump?.word !== "proxyjump" || value("proxyjump")?.toLowerCase() === "none"
        ? undefined
        : value("proxyjump"),
  };
}

/** The two are alternatives; the first one wins. */
const keyOf = (word: string) => (word === "proxycommand" ? "proxyjump" : word);

/** Evaluates `Match` conditions; one that runs a program is rejected. */
function fitsMatch(
  values: readonly string[],
  line: Line,
  facts: Readonly<Record<"host" | "originalhost" | "user", string>>,
): boolean {
  let fits = true;
  for (let at = 0; at < values.length; at++) {
    const written = values[at] ?? "";
    const isNegated = written.startsWith("!");
    const name = written.replace(/^!/, "").toLowerCase();
    if (name === "all") {
      fits &&= !isNegated;
      continue;
    }
    if (name !== "host" && name !== "originalhost" && name !== "user")
      throw fault(line, `Match ${name} is not supported; only all, host, originalhost and user are`);
    const patterns = values[++at]?.split(",");
    if (patterns === undefined) throw fault(line, `Match ${name} has no value`);
    fits &&= fitsPatterns(facts[name], patterns) !== isNegated;
  }
  return fits;
}

function portOf(setting: Setting | undefined): number | undefined {
  if (setting === undefined) return undefined;
  const [text = ""] = setting.values;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw fault(setting.line, "Port must be from 1 to 65535");
  return port;
}

function pathsOf(settings: readonly Setting[], tokens: Readonly<Record<string, string>>): string[] {
  const paths: string[] = [];
  for (const { values, line } of settings) {
    const [text = ""] = values;
    if (text.toLowerCase() === "none") continue;
    paths.push(
      text.replace(/%(.?)/g, (_, token: string) => {
        const value = tokens[token];
        if (value === undefined)
          throw fault(line, `%${token} is not supported; only %h, %n, %p, %r and %% are`);
        // A name from a request may be part of a file name but must not change the path.
        if (/\/|^\.{1,2}$/.test(value)) throw fault(line, `%${token} cannot be "${value}" in a file name`);
        return value;
      }),
    );
  }
  return paths;
}
