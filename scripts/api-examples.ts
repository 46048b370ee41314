/** Parses the examples of docs/reference/api.md: each command with its response. */
import { readFileSync } from "node:fs";

export interface ApiExample {
  readonly method: string;
  /** As written, including the query. */
  readonly url: string;
  /** The path template in the OpenAPI description. */
  readonly path: string;
  /** Values of the path parameters. */
  readonly steps: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** File whose content is sent. */
  readonly file?: string;
  /** Undefined if the page shows a stream, or nothing. */
  readonly answer?: unknown;
  /** Status of the response, if the page shows it. */
  readonly status?: number;
}

const route = /^### `([A-Z]+) (\S+)`$/;

/** @throws Error if an example cannot be parsed */
export function readApiExamples(page = readFileSync("docs/reference/api.md", "utf8")): ApiExample[] {
  const routes = [...page.matchAll(new RegExp(route, "gm"))].map(([, method = "", path = ""]) => ({
    method,
    path,
  }));
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter((text) => /^(?:pb|curl) /.test(text))
      .map((text) => readExample(text, routes)),
  );
}

function readExample(text: string, routes: readonly { method: string; path: string }[]): ApiExample {
  const { words, rest } = shellWords(text);
  const options = readOptions(words);
  const url = new URL(options.url, "http://localhost");
  const { method } = options;
  const found = routes.find((one) => one.method === method && stepsOf(one.path, url.pathname));
  if (found === undefined)
    throw new Error(`docs/reference/api.md has an example of ${method} ${url.pathname} and no such heading`);
  const shown = /^HTTP\/1\.1 (\d+)/.exec(rest)?.[1];
  const json = rest.slice(Math.max(0, rest.indexOf('{"code"'))).trim();
  const answer: unknown = json.startsWith("{") ? parsed(json) : undefined;
  const status = shown === undefined ? statusOf(method, found.path, answer) : Number(shown);
  return {
    method,
    url: options.url,
    path: found.path,
    steps: stepsOf(found.path, url.pathname) ?? {},
    query: Object.fromEntries(url.searchParams),
    headers: options.headers,
    ...(options.body === undefined ? {} : { body: parsed(options.body) }),
    ...(options.file === undefined ? {} : { file: options.file }),
    ...(answer === undefined ? {} : { answer }),
    ...(status === undefined ? {} : { status }),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`docs/reference/api.md has an example that is not a JSON: ${json.slice(0, 200)}`, {
      cause: error,
    });
  }
}

/** Splits the first command into shell words; returns them and the text after its line. */
function shellWords(text: string): { words: string[]; rest: string } {
  const words: string[] = [];
  const pattern = /(?:[^\s'"\\]|\\.)*(?:'([^']*)'|"([^"]*)")?/y;
  let at = 0;
  while (at < text.length && text[at] !== "\n") {
    if (/[ \t]/.test(text.charAt(at)) || text.startsWith("\\\n", at)) {
      at += text.startsWith("\\\n", at) ? 2 : 1;
      continue;
    }
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || match[0] === "")
      throw new Error(`docs/reference/api.md: cannot read ${text.slice(at, at + 80)}`);
    words.push(match[1] ?? match[2] ?? match[0]);
    at = pattern.lastIndex;
  }
  return { words, rest: text.slice(at + 1) };
}

function readOptions([, ...words]: string[]) {
  const read = {
    method: "",
    url: "",
    headers: {} as Record<string, string>,
    body: undefined as string | undefined,
    file: undefined as string | undefined,
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-X") read.method = words[++at] ?? "";
    else if (word === "-d") read.body = words[++at];
    else if (word === "-T") read.file = words[++at];
    else if (word === "-H") {
      const [name = "", value = ""] = (words[++at] ?? "").split(/: */, 2);
      read.headers[name.toLowerCase()] = value;
    } else if (!word.startsWith("-")) read.url = word.replace(/^(?:http:\/\/)?localhost:9000/, "");
    else if (word === "-o") at++;
  }
  read.method ||= read.body !== undefined ? "POST" : read.file !== undefined ? "PUT" : "GET";
  return read;
}

/** @returns undefined if the path does not match */
function stepsOf(pattern: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const source = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return "([^/]+)";
  });
  const match = new RegExp(`^${source}$`).exec(path);
  return match
    ? Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? "")]))
    : undefined;
}

const made = new Set(["POST /device/execute", "POST /key", "PUT /file/{name}", "POST /job/{name}/retry"]);

function statusOf(method: string, path: string, answer: unknown): number | undefined {
  if (typeof answer !== "object" || answer === null || !("code" in answer)) return undefined;
  if (answer.code === 200) return made.has(`${method} ${path}`) ? 201 : 200;
  if ("message" in answer && answer.message === "Validation Error") return 422;
  const data = "data" in answer && typeof answer.data === "object" ? answer.data : null;
  const type = data !== null && "type" in data ? data.type : undefined;
  if (type === "BusinessFailure") return 200;
  if (type === "ParseError" || type === "RenderError") return 400;
  throw new Error(
    `docs/reference/api.md: which status has the answer of ${method} ${path}? Show it with \`curl -i\``,
  );
}
