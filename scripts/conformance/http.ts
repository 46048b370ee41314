/** Sends the cases to a service started for them; the community's sets are installed in its data directory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { rawMember } from "../../src/base/json/json.ts";
import { adminKey, startService, tempFolder } from "../../src/testkit/service.ts";
import type { Answer, Asker, ParseAsk } from "./ask.ts";

const envelope = v.object({ code: v.number(), message: v.string(), data: v.unknown() });

export async function askOverHttp(): Promise<Asker> {
  const dataDir = tempFolder("patchbay-conformance-");
  const service = await startService({ dataDir, env: { PATCHBAY_LOG_LEVEL: "warn" } });
  let asked = 0;

  /** Tries both forms: with the engine in the path, and in the body. */
  async function ask(path: string, engine: string, members: readonly string[]): Promise<Answer> {
    const inPath = asked++ % 2 === 0;
    const name = inPath ? [] : [`"name":${JSON.stringify(engine)}`];
    const response = await fetch(`${service.url}${path}${inPath ? `/${engine}` : ""}`, {
      method: "POST",
      headers: { "X-API-KEY": adminKey, "Content-Type": "application/json" },
      body: `{${[...name, ...members].join(",")}}`,
    });
    const text = await response.text();
    const { code, message } = v.parse(envelope, JSON.parse(text));
    if (response.status === 200 && code === 200)
      return { kind: "answer", json: rawMember(text, ["data"]) ?? "null" };
    // 404: no template was found.
    if ([400, 404, 422].includes(response.status)) return { kind: "refused", why: message.slice(0, 120) };
    return { kind: "broken", why: `status ${response.status}: ${message.slice(0, 120)}` };
  }

  return {
    render: ({ template, contextJson, args }) =>
      ask("/template/render", "jinja2", [
        `"template":${JSON.stringify(template)}`,
        `"args":${JSON.stringify(args)}`,
        `"context":${contextJson}`,
      ]),
    parse: (one) => ask("/template/parse", one.engine, Object.entries(parseBody(one)).flatMap(member)),
    async install(folder) {
      const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir };
      const child = spawn(process.execPath, ["src/main.ts", "templates", "install", folder], {
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let told = "";
      child.stderr.on("data", (chunk) => (told += String(chunk)));
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`${folder} could not be installed: ${told}`);
    },
    put(path, text) {
      const file = join(dataDir, "templates", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    async stop() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function parseBody({ engine, template, set, text, args }: ParseAsk): Record<string, unknown> {
  const flag = engine === "textfsm" ? "ntc" : "ttp";
  const chosen = set === undefined ? {} : { [`use_${flag}_template`]: true, [`${flag}_template_args`]: set };
  return { template, args, ...chosen, context: text };
}

const member = ([key, value]: [string, unknown]): string[] =>
  value === undefined ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`];
